// What the API answers of deliveries, and of the plugins webhooks and chat.

import type { Id, Json } from './lossless';

/** Deliveries that must arrive, of one queue; `approximate`: there are more than were counted. */
export interface DeliveryQueue {
    name: string;
    pending: number;
    due: number;
    under_way: number;
    dead: number;
    oldest_due_s: number | null;
    approximate: boolean;
}

export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'cancelled';

export interface Delivery {
    id: Id;
    uid: string;
    queue: string;
    lane: string;
    state: DeliveryState;
    under_way: boolean;
    attempts: number;
    event_id: Id | null;
    created_at: string;
    next_attempt_at: string | null;
    last_attempt_at: string | null;
    last_error: string | null;
    finished_at: string | null;
    replay_of: Id | null;
    replayed_as: Id | null;
    payload?: Json;
}

export interface DeliveryPage {
    deliveries: Delivery[];
    next: { before: Id } | null;
}

/** Dead letters: what a replay repeats, or with a dry run would. */
export interface DeadLetters {
    deliveries: number;
    lanes: number;
    first_id: Id | null;
    last_id: Id | null;
    replayed: number;
    more: boolean;
}

export interface WebhookEndpoint {
    id: number;
    name: string;
    url: string;
    format: 'cloudevents' | 'plain';
    event_types: string[];
    entity_types: string[];
    project_ids: Id[];
    enabled: boolean;
    disabled_reason: string | null;
    disabled_at: string | null;
    failing_since: string | null;
    old_secret_until: string | null;
    created_at: string;
    secret?: string;
}

export interface ChatRoom {
    id: number;
    name: string;
    /** All that is shown of its URL. */
    url_host: string;
    event_types: string[];
    project_ids: Id[];
    enabled: boolean;
    waiting: number;
    disabled_reason: string | null;
    disabled_at: string | null;
    created_at: string;
}

export interface WebhookAttempt {
    id: Id;
    delivery_id: Id;
    attempt: number;
    outcome: 'delivered' | 'failed' | 'dead' | 'cancelled';
    status: number | null;
    detail: string;
    took_ms: number;
    at: string;
}
