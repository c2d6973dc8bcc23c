// What stands beside "Inbox" in the navigation. Its parent shows it only where the plugin is.

import { useLive } from '../state/live';
import { refresh_unread, unread, unread_max, unread_refresh_ms } from '../state/unread';

export function UnreadCount() {
    useLive('unread', refresh_unread, unread_refresh_ms);
    if (unread.value === 0) return null;
    const text = unread.value >= unread_max ? `${unread_max}+` : String(unread.value);
    return (
        <span class="badge">
            {text}
            <span class="unseen"> unread</span>
        </span>
    );
}
