-- What hangs on deleted things was swept by one consumer for all plugins, whose cursor passed what
-- a plugin that was off would have swept. Each plugin has one of its own instead,
-- `events.cascade.<plugin>`, which begins where the one stopped and takes over its open records
-- when a host that has the plugin declares it: which plugins sweep, only they know.

-- Before the row of the consumer is touched: who sweeps at this moment writes in the same order,
-- and what it has recorded is seen below.
ALTER TABLE radd.skipped_events DROP CONSTRAINT skipped_resolution_is_known;
ALTER TABLE radd.skipped_events ADD CONSTRAINT skipped_resolution_is_known
    CHECK (resolution IN ('retried', 'replayed', 'handed_on'));

COMMENT ON COLUMN radd.skipped_events.resolution IS
    'retried: planned again outside the cursor; replayed: the cursor was set back before it, so the consumer meets it again; handed_on: its consumer was retired, and each that succeeds it has a record of its own';

-- One that was ahead of a restored stream may be behind it by now. From the beginning, since only
-- that leaves nothing out, and sweeps are made to be repeated.
UPDATE radd.consumers
   SET cursor = 0, seeded_at = 0, handled_count = 0, handled_hash = 0
 WHERE name = 'events.cascade' AND state = 'beyond_head';

UPDATE radd.consumers
   SET state = 'retired', owner = NULL, lease_until = '-infinity', epoch = epoch + 1,
       disabled_since = coalesce(disabled_since, clock_timestamp()), overdue_event_id = NULL
 WHERE name = 'events.cascade';

UPDATE radd.skipped_events
   SET resolved_at = clock_timestamp(), resolution = 'handed_on'
 WHERE consumer = 'events.cascade' AND resolved_at IS NULL;
