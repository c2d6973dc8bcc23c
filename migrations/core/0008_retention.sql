-- Dropping what every reader has passed.
--
-- What is going is decided first, in one short transaction, and is final when that commits: from
-- then on the stream begins at `floor`, no cursor can be put below it, and the partitions are
-- detached and dropped as their locks come free, over as many attempts as that takes. Whoever puts
-- a cursor anywhere reads `floor` FOR SHARE before, so that it is never put below a decision that
-- is under way.

CREATE TABLE radd.retention (
    one       boolean     PRIMARY KEY DEFAULT true CHECK (one),
    floor     bigint      NOT NULL DEFAULT 0 CHECK (floor >= 0),
    dropping  text[]      NOT NULL DEFAULT '{}',
    raised_at timestamptz
);
INSERT INTO radd.retention DEFAULT VALUES;
COMMENT ON TABLE radd.retention IS 'Where the stream begins since partitions of it were dropped; one row';
COMMENT ON COLUMN radd.retention.floor IS 'Events below this id are gone, or going';
COMMENT ON COLUMN radd.retention.dropping IS 'Partitions that are going: still attached, being detached, or detached and not dropped yet';
COMMENT ON COLUMN radd.retention.raised_at IS 'When the floor was raised last; null: never';

CREATE FUNCTION radd.first_kept() RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT greatest((SELECT r.floor FROM radd.retention r),
                    (SELECT min(substring(pg_get_expr(c.relpartbound, c.oid)
                                          FROM $re$FROM \('?(\d+)'?\)$re$)::bigint)
                       FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                      WHERE i.inhparent = 'radd.events'::regclass))
$$;
COMMENT ON FUNCTION radd.first_kept() IS
    'First id that is kept: what was below is gone with its partition, by retention or by hand';

-- A retired consumer is one that an operator has given up, and waits for nothing. A skipped event
-- and a delivery carry what they need, so they hold no partition.
CREATE VIEW radd.event_readers AS
SELECT c.name, c.plugin, c.cursor,
       CASE WHEN c.disabled_since IS NOT NULL THEN 'not_loaded'
            WHEN c.paused_until > clock_timestamp() THEN 'paused'
            WHEN c.owner IS NULL OR c.lease_until < clock_timestamp() THEN 'unowned'
            ELSE 'running' END AS state
  FROM radd.consumers c
 WHERE c.kind = 'consumer' AND c.state <> 'retired';
COMMENT ON VIEW radd.event_readers IS
    'Who still needs the events above a cursor: retention drops nothing that one of them has not passed';
