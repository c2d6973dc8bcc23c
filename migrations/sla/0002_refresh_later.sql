-- A project that could not be computed waits, and holds up no other.

ALTER TABLE sla.refreshes ADD COLUMN not_before timestamptz NOT NULL DEFAULT '-infinity';
COMMENT ON COLUMN sla.refreshes.not_before IS 'When it is tried again, after it has failed';
