// What the API answers. Names are those of the server, which are those of the tables.

import type { DeliveryQueue } from './delivery_types';
import type { Id, Json } from './lossless';

export type Role = 'admin' | 'member';

export interface Account {
    id: string;
    name: string;
    role: Role;
}

export interface Session {
    account: Account;
    csrf_token: string;
    /** Ids of the plugins that are loaded: pages of others are not shown. */
    plugins: string[];
}

export type State =
    | 'ok'
    | 'catching_up'
    | 'stalled'
    | 'waiting'
    | 'paused'
    | 'retired'
    | 'unowned'
    | 'beyond_head'
    | 'not_loaded';

/** Who keeps the stream from going on. */
export interface Holder {
    event_id: Id;
    pid: number | null;
    age_ms: number;
    application_name: string;
    query: string;
}

export interface Consumer {
    name: string;
    plugin: string;
    kind: 'consumer' | 'task';
    state: State;
    last_event_id: Id;
    stream_head: Id;
    lag: number;
    approximate: boolean;
    seconds_since_update: number;
    oldest_age_s: number | null;
    skipped: number;
    handled_count: Id;
    owner: string | null;
    overdue_event_id: Id | null;
    paused_until?: string | null;
    pause_reason: string | null;
    waiting_on: Holder | null;
}

export interface Problem {
    code: string;
    message: string;
    hint: string;
    /** "file:line", or, in the list of plugins, apart. */
    place?: string;
    file?: string;
    line?: number;
}

export interface RefusedPlugin {
    id: string;
    file?: string | null;
    problems: Problem[];
}

export interface Overview {
    database: {
        reachable: boolean;
        server_version?: string;
        private?: boolean;
        time?: string;
        stream_head?: Id;
        last_drawn?: Id;
        settled?: Id;
        ids_left?: Id;
        events_bytes?: Id;
    };
    host: {
        name: string;
        version: string;
        started_at: string;
        uptime_s: number;
        workers_in_process: boolean;
    };
    workers_in_process: boolean;
    consumers: Consumer[];
    delivery_queues: DeliveryQueue[];
    refused_plugins: RefusedPlugin[];
    waiting_on: Holder | null;
}

export interface History {
    interval_s: number;
    at: number[];
    stream_head: (Id | null)[];
    consumers: Record<
        string,
        { lag: (number | null)[]; last_event_id: (Id | null)[]; state: (State | null)[] }
    >;
}

export interface Seek {
    name: string;
    from: Id;
    to: Id;
    events: Id;
    approximate: boolean;
    direction: 'replay' | 'pass';
}

export interface SkippedEvent {
    id: Id;
    consumer: string;
    event_id: Id;
    event_type: string;
    phase: 'plan' | 'deliver' | 'quarantine' | 'sweep';
    error: string;
    plugin: string;
    plugin_version: string;
    attempts: number;
    skipped_at: string;
    retry_requested: boolean | string | null;
    event: Json;
}

export interface SkippedPage {
    skipped_events: SkippedEvent[];
    next: { before: Id } | null;
}

/** One visible difference; only a field: its value is hidden. */
export interface Change {
    field: string;
    from?: Json;
    to?: Json;
    added?: Json;
    removed?: Json;
}

export interface RaddEvent {
    id: Id;
    event_type: string;
    entity_type: string;
    entity_id: string;
    actor_id: string | null;
    payload: { [key: string]: Json };
    changes: Change[] | null;
    project_id: Id | null;
    silent: boolean;
    automated_cause: string | null;
    traceparent: string | null;
    occurred_at: string;
    recorded_at: string;
}

export interface EventPage {
    events: RaddEvent[];
    next: { before?: Id; after?: Id } | null;
}

export interface EventType {
    type: string;
    label: string;
    group: string;
    plugin: string;
    item_scoped: boolean;
    has_changes: boolean;
    trigger: boolean;
    audited: boolean;
    readable_by: 'member' | 'admin';
    entity_type: string;
    subjects: string[];
    payload_schema?: Json;
    aliases: string[];
}

export interface ActionType {
    action: string;
    label: string;
    plugin: string;
    subject: string | null;
    arguments: { properties?: Record<string, Json> };
}

export interface AutomationRule {
    id: Id;
    name: string;
    trigger: { events?: string[]; every?: string; daily?: string; zone?: string };
    when: Json;
    then: { action: string; arguments: Json; subject_id?: string }[];
    project_id: Id | null;
    chain: boolean;
    enabled: boolean;
    state: 'on' | 'off' | 'unavailable';
    /** Who brought it. */
    plugin: string | null;
    disabled_reason: string | null;
    next_run_at: string | null;
    problems: string[];
    created_at: string;
    updated_at: string;
}

export interface PlannedAction {
    action: string;
    summary: string;
    details: Json;
    has_effect: boolean;
}

export interface AutomationRun {
    id: Id;
    rule_id: Id;
    rule: string;
    event_id: Id | null;
    outcome: 'applied' | 'idle' | 'failed' | 'stopped';
    detail: string;
    plan: PlannedAction[];
    depth: number;
    took_ms: number;
    at: string;
}

export interface DryRun {
    would: 'pass' | 'stop' | 'idle' | 'apply' | 'fail';
    reason: string;
    plan: PlannedAction[];
}

export interface Token {
    id: Id | string;
    name: string;
    role: Role;
    account_id: string | null;
    created_at: string;
    last_used_at: string | null;
    expires_at: string | null;
    revoked_at: string | null;
    token?: string;
}

export interface Person extends Account {
    has_password: boolean;
    created_at: string;
    last_sign_in_at: string | null;
    disabled_at: string | null;
}

/** A one-time link, shown once. */
export interface Link {
    code: string;
    path: string;
    expires_at: string;
}

/** What a one-time link is for. */
export interface LinkPurpose {
    purpose: 'first_admin' | 'set_password';
    name?: string | null;
    expires_at?: string;
}

export interface LoadedPlugin {
    id: string;
    version: string;
    description: string;
    file: string;
    depends_on: string[];
    entities: string[];
    consumers: { name: string }[];
    tasks: string[];
    commands: string[];
    routes?: { method: string; path: string; summary: string }[];
}

export interface PluginSet {
    plugins: LoadedPlugin[];
    refused: RefusedPlugin[];
    disabled: { id: string; file: string }[];
    ignored: { file: string; reason: string }[];
}

/** What the reader was told. */
export interface InboxNotice {
    id: number;
    kind: string;
    label: string;
    text: string;
    item: { id: number; key: string; title: string; muted: boolean };
    actor: { id: string; name: string | null } | null;
    automated: string | null;
    excerpt: string | null;
    created_at: string;
    read_at: string | null;
    archived_at: string | null;
    mail: { state: string; at: string | null; detail: string | null };
}

export interface Inbox {
    notices: InboxNotice[];
    unread: number;
    next: { before: number } | null;
}

export interface WatchedProject {
    id: number;
    key: string;
    name: string;
}

export interface NoticeWays {
    inbox: boolean;
    mail: boolean;
    digest: boolean;
}

export interface NoticeKind extends NoticeWays {
    name: string;
    label: string;
}

export interface NoticePreferences {
    email: string | null;
    digest: { zone: string; hour: number; next_at: string | null; last_on: string | null };
    kinds: NoticeKind[];
}

/** How far one promise about one item has run. */
export interface ServiceClock {
    item: { id: Id; key: string; title: string };
    project: string;
    policy: { id: Id; name: string };
    target: 'first_response' | 'resolution';
    life: Id;
    state: 'running' | 'paused' | 'due_soon' | 'breached' | 'met';
    remaining_ms: number | null;
    began_at: string;
    due_soon_at: string | null;
    due_at: string | null;
    met_at: string | null;
    due_soon_sent_at: string | null;
    breach_sent_at: string | null;
}

export interface ServiceClocks {
    clocks: ServiceClock[];
    next: { after: string } | null;
}

export interface ServicePolicy {
    id: Id;
    project: string;
    name: string;
    position: number;
    enabled: boolean;
    types: string[];
    priorities: string[];
    labels: string[];
    calendar: { id: Id; name: string };
    pause_states: string[];
    targets: Partial<
        Record<ServiceClock['target'], { within_minutes: number; due_soon_minutes?: number }>
    >;
    alarm_for_past: boolean;
}

export interface ServiceCalendar {
    id: Id;
    name: string;
    zone: string;
    hours: { day: string; from: string; to: string }[];
    holidays: { date: string; name: string; yearly: boolean }[];
}
