// Which page is shown, and to whom.

import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { Redirect, Route, Router, Switch, useLocation, useSearch } from 'wouter-preact';

import { Failure, Loading } from './parts/notice';
import { Page } from './parts/page';
import { Shell } from './parts/shell';
import { Accounts } from './pages/accounts';
import { Automations } from './pages/automations';
import { Chat } from './pages/chat';
import { ConsumerPage } from './pages/consumer';
import { Deliveries } from './pages/deliveries';
import { Entity } from './pages/entity';
import { EventPage } from './pages/event';
import { Events } from './pages/events';
import { Inbox } from './pages/inbox';
import { InboxPreferences } from './pages/inbox_preferences';
import { LinkPage } from './pages/link';
import { Monitoring } from './pages/monitoring';
import { Plugins } from './pages/plugins';
import { RecordPage } from './pages/record';
import { Records, RecordsPage } from './pages/records';
import { ServiceLevels } from './pages/service_levels';
import { SignIn } from './pages/sign_in';
import { Tokens } from './pages/tokens';
import { WebhookPage } from './pages/webhook';
import { Webhooks } from './pages/webhooks';
import { useLive } from './state/live';
import { has_plugin, is_admin, restore_session, session } from './state/session';
import { paths, segment } from './paths';

function home(): string {
    return is_admin() ? paths.monitoring : paths.events;
}

function NotFound() {
    return (
        <Page title="Not found">
            <p>
                There is no page at this address. <a href={home()}>Go to the first page</a>
            </p>
        </Page>
    );
}

function NotAllowed() {
    return (
        <Page title="For administrators">
            <p>
                You are signed in as a member. <a href={home()}>Go to the events</a>
            </p>
        </Page>
    );
}

/** Pages of the signed-in. A page whose key changes is another page and begins anew. */
function Inside() {
    const [path] = useLocation();
    const search = useSearch();
    if (session.value === null) {
        const here = window.location.pathname + (search ? `?${search}` : '');
        const next = here === '/' ? '' : `?next=${encodeURIComponent(here)}`;
        return <Redirect to={`${paths.sign_in}${next}`} replace />;
    }
    const admins = (page: () => preact.JSX.Element) => (is_admin() ? page : NotAllowed);
    const of_plugin = (id: string, page: () => preact.JSX.Element) =>
        has_plugin(id) ? admins(page) : NotFound;
    return (
        <Shell>
            <Switch>
                <Route path="/">
                    <Redirect to={home()} replace />
                </Route>
                <Route path={paths.inbox} component={has_plugin('notify') ? Inbox : NotFound} />
                <Route
                    path={paths.inbox_preferences}
                    component={has_plugin('notify') ? InboxPreferences : NotFound}
                />
                <Route path={paths.monitoring} component={admins(Monitoring)} />
                <Route path="/consumers/:name">
                    {is_admin() ? <ConsumerPage key={path} name={segment(1)} /> : <NotAllowed />}
                </Route>
                <Route path={paths.events} component={Events} />
                <Route path="/events/:id">
                    <EventPage key={path} id={segment(1)} />
                </Route>
                <Route path="/entities/:type/:id">
                    <Entity key={path} type={segment(1)} id={segment(2)} />
                </Route>
                <Route path={paths.service_levels} component={ServiceLevels} />
                <Route
                    path={paths.automations}
                    component={has_plugin('automations') ? admins(Automations) : NotFound}
                />
                <Route path={paths.deliveries} component={admins(Deliveries)} />
                <Route path={paths.webhooks} component={of_plugin('webhooks', Webhooks)} />
                <Route
                    path="/webhooks/:id"
                    component={of_plugin('webhooks', () => (
                        <WebhookPage key={path} id={segment(1)} />
                    ))}
                />
                <Route path={paths.chat} component={of_plugin('chat', Chat)} />
                <Route path={paths.records} component={Records} />
                <Route path="/records/:plural">
                    <RecordsPage key={path} plural={segment(1)} />
                </Route>
                <Route path="/records/:plural/:id">
                    <RecordPage key={path} plural={segment(1)} id={segment(2)} />
                </Route>
                <Route path={paths.plugins} component={Plugins} />
                <Route path={paths.tokens} component={admins(Tokens)} />
                <Route path={paths.accounts} component={admins(Accounts)} />
                <Route component={NotFound} />
            </Switch>
        </Shell>
    );
}

/** Until the server has said who is here. */
function Arriving() {
    const restored = useLive('session', restore_session, null);
    return <main class="alone">{restored.error ? <Failure error={restored.error} /> : <Loading />}</main>;
}

function App() {
    return (
        <Switch>
            <Route path={paths.sign_in} component={SignIn} />
            <Route path="/link/:code">
                <LinkPage code={segment(1)} />
            </Route>
            <Route>{session.value === undefined ? <Arriving /> : <Inside />}</Route>
        </Switch>
    );
}

/** Links inside the pages do not load them anew; anything else is left to the browser. */
function Links() {
    const [, navigate] = useLocation();
    useEffect(() => {
        const click = (event: MouseEvent) => {
            if (event.defaultPrevented || event.button !== 0) return;
            if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
            const link = (event.target as Element).closest('a');
            if (!link || link.target || link.hasAttribute('download')) return;
            const url = new URL(link.href, window.location.href);
            if (url.origin !== window.location.origin || url.hash) return;
            if (url.pathname.startsWith('/api/') || link.rel === 'external') return;
            event.preventDefault();
            navigate(url.pathname + url.search);
        };
        document.addEventListener('click', click);
        return () => document.removeEventListener('click', click);
    }, [navigate]);
    return null;
}

const root = document.getElementById('app');
if (root) {
    render(
        <Router>
            <Links />
            <App />
        </Router>,
        root,
    );
}
