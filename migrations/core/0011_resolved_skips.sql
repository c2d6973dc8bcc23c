-- What was settled long ago is removed in the order it was settled in: WHERE resolved_at < …
-- ORDER BY resolved_at. Open records are not in it.
CREATE INDEX skipped_events_resolved ON radd.skipped_events (resolved_at)
 WHERE resolved_at IS NOT NULL;
COMMENT ON INDEX radd.skipped_events_resolved IS 'Settled records, in the order they were settled in';
