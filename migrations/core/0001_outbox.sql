-- The outbox: one append-only stream of events, and the rule by which it can be read without loss.
--
-- Ids are drawn at insert and become visible at commit, so `id > cursor ORDER BY id` alone skips
-- events. What makes a single bigint a safe cursor is a lock that PostgreSQL takes by itself:
-- nextval() holds RowExclusiveLock on the sequence from before the draw to the end of the top
-- transaction, over savepoints, PREPARE and crash recovery. Whoever holds it may still commit
-- ids at or below the head; whoever does not has shown all of his. Hence an emitter needs nothing
-- but INSERT, and only the reader looks at pg_locks.

CREATE SCHEMA IF NOT EXISTS radd;
COMMENT ON SCHEMA radd IS 'radd-host: the outbox and who has read how far';

-- The limits are wider than what the SDK lets through: they keep rows readable, whoever writes
-- them, and must never fail a lawful emitter. Names and ids must also fit an index entry together.
CREATE TABLE radd.events (
    id              bigint GENERATED ALWAYS AS IDENTITY (CACHE 1),
    event_type      text        NOT NULL,
    entity_type     text        NOT NULL,
    entity_id       text        NOT NULL,
    actor_id        uuid,
    payload         jsonb       NOT NULL DEFAULT '{}',
    changes         jsonb,
    project_id      bigint,
    silent          boolean     NOT NULL
                    DEFAULT coalesce(nullif(current_setting('radd.silent', true), ''), 'off')::boolean,
    automated_cause text        DEFAULT nullif(current_setting('radd.automated', true), ''),
    traceparent     text,
    occurred_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (id),
    CONSTRAINT event_type_is_short      CHECK (octet_length(event_type) <= 1000),
    CONSTRAINT entity_type_is_short     CHECK (octet_length(entity_type) <= 600),
    CONSTRAINT entity_id_is_short       CHECK (octet_length(entity_id) <= 1000),
    CONSTRAINT automated_cause_is_short CHECK (octet_length(automated_cause) <= 4000),
    CONSTRAINT traceparent_is_short     CHECK (octet_length(traceparent) <= 1000),
    CONSTRAINT payload_is_bounded       CHECK (pg_column_size(payload) <= 16777216),
    CONSTRAINT changes_are_bounded      CHECK (pg_column_size(changes) <= 16777216)
) PARTITION BY RANGE (id);

-- History of one entity: WHERE entity_type = … AND entity_id = … ORDER BY id.
CREATE INDEX events_entity ON radd.events (entity_type, entity_id, id);

COMMENT ON TABLE radd.events IS
    'The outbox. Append-only: INSERT or COPY without id, in the transaction of the write it describes. Read it through radd.settle() and radd.read_after().';
COMMENT ON INDEX radd.events_entity IS 'History of one entity';
COMMENT ON COLUMN radd.events.id IS
    'Place in the stream. Drawn by the identity alone, which must keep CACHE 1; never setval or RESTART it';
COMMENT ON COLUMN radd.events.event_type IS 'owner.what_happened';
COMMENT ON COLUMN radd.events.entity_type IS 'What kind of thing it is about';
COMMENT ON COLUMN radd.events.entity_id IS 'Which one';
COMMENT ON COLUMN radd.events.actor_id IS 'Who did it; null: no person known here';
COMMENT ON COLUMN radd.events.payload IS 'An object: data of the event, and one ref per subject under its entity name';
COMMENT ON COLUMN radd.events.changes IS 'An array of {field, from, to}, {field, added, removed} or {field}; null: not a change of fields';
COMMENT ON COLUMN radd.events.project_id IS 'Project it belongs to, if any';
COMMENT ON COLUMN radd.events.silent IS 'Bulk import: nobody outside is told. SET LOCAL radd.silent = ''on'' marks a transaction';
COMMENT ON COLUMN radd.events.automated_cause IS
    'Which rule caused it and how deep. SET LOCAL radd.automated = ''…'' marks a transaction';
COMMENT ON COLUMN radd.events.traceparent IS 'W3C trace context';
COMMENT ON COLUMN radd.events.occurred_at IS 'When it happened in the world; the order is by id all the same';
COMMENT ON COLUMN radd.events.recorded_at IS 'When the row was written';

-- An application appends and chooses no ids; SELECT (id) is for radd.emit(), which returns it.
-- No privilege on the sequence is needed, and without one nobody can draw or set it by hand:
--
--   GRANT USAGE ON SCHEMA radd TO app;
--   GRANT INSERT (event_type, entity_type, entity_id, actor_id, payload, changes, project_id,
--                 silent, automated_cause, traceparent, occurred_at), SELECT (id)
--      ON radd.events TO app;
--
-- A reader in SQL needs SELECT on radd.events and radd.stream as well; radd.settle() runs as owner.


-- Partitions of 10 million ids. LIKE + ATTACH takes ShareUpdateExclusiveLock on the parent and
-- waits for no emitter; CREATE TABLE … PARTITION OF would take AccessExclusiveLock and block all.
CREATE FUNCTION radd.partitions_end() RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(max(substring(pg_get_expr(c.relpartbound, c.oid)
                                  FROM $re$TO \('?(\d+)'?\)$re$)::bigint), 0)
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'radd.events'::regclass
$$;
COMMENT ON FUNCTION radd.partitions_end() IS 'First id that no partition takes; inserts fail from there on';

CREATE FUNCTION radd.ensure_partitions(size bigint DEFAULT 10000000, ahead bigint DEFAULT 50000000)
RETURNS int LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    head  bigint;
    upper bigint;
    made  int := 0;
    part  text;
BEGIN
    PERFORM pg_advisory_xact_lock(7301, 3);
    SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END INTO head
      FROM radd.events_id_seq;
    -- Ids that were jumped over need no partition.
    upper := greatest(radd.partitions_end(), head - head % size);
    WHILE upper <= head + ahead LOOP
        part := 'events_from_' || upper;
        EXECUTE format('CREATE TABLE radd.%I (LIKE radd.events INCLUDING DEFAULTS
                        INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)', part);
        EXECUTE format('ALTER TABLE radd.events ATTACH PARTITION radd.%I
                        FOR VALUES FROM (%s) TO (%s)', part, upper, upper + size);
        upper := upper + size;
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;
COMMENT ON FUNCTION radd.ensure_partitions(bigint, bigint) IS
    'Makes partitions until at least `ahead` ids are free above the head; returns how many it made. Blocks no emitter';
REVOKE EXECUTE ON FUNCTION radd.ensure_partitions(bigint, bigint) FROM PUBLIC;

CREATE FUNCTION radd.ids_left() RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT radd.partitions_end() - 1 - CASE WHEN is_called THEN last_value ELSE last_value - 1 END
      FROM radd.events_id_seq
$$;
COMMENT ON FUNCTION radd.ids_left() IS 'How many ids can still be drawn before inserts fail for want of a partition';

SELECT radd.ensure_partitions();


-- holders, lows, head and settled are of one look at the locks: a transaction that is not among
-- the holders has drawn only ids above that head.
CREATE TABLE radd.stream (
    one          boolean     PRIMARY KEY DEFAULT true CHECK (one),
    settled      bigint      NOT NULL DEFAULT 0,
    head         bigint      NOT NULL DEFAULT 0,
    holders      text[]      NOT NULL DEFAULT '{}',
    lows         bigint[]    NOT NULL DEFAULT '{}',
    published_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 10);
INSERT INTO radd.stream DEFAULT VALUES;
COMMENT ON TABLE radd.stream IS 'How far the stream is final, as last published by radd.settle(); one row';
COMMENT ON COLUMN radd.stream.settled IS 'Every id up to here is final: visible, or never will be';
COMMENT ON COLUMN radd.stream.head IS 'Last id drawn when the locks were looked at';
COMMENT ON COLUMN radd.stream.holders IS 'Virtual transactions that had drawn ids and not ended';
COMMENT ON COLUMN radd.stream.lows IS 'For each holder: all its ids are above this';

CREATE FUNCTION radd.settle(wake boolean DEFAULT false) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known     radd.stream;
    drawn     bigint;
    now_held  text[];
    now_lows  bigint[];
    mark      bigint;
    run_end   bigint;
BEGIN
    SELECT one, settled, head, holders, lows, published_at INTO known FROM radd.stream;
    IF pg_is_in_recovery() THEN RETURN known.settled; END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'radd.settle: called in a % transaction, which sees an old snapshot; call it in READ COMMITTED',
            current_setting('transaction_isolation');
    END IF;

    -- Nothing drawn since: two cheap reads, no look at the locks, no write.
    SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END INTO drawn
      FROM radd.events_id_seq;
    IF known.settled >= drawn THEN
        IF known.settled > drawn THEN
            RAISE EXCEPTION 'radd.settle: the id sequence is at % and the stream is settled to %: it was set back; run SELECT setval(''radd.events_id_seq'', %)',
                drawn, known.settled, known.settled;
        END IF;
        RETURN known.settled;
    END IF;

    -- Somebody else is at it.
    IF NOT pg_try_advisory_xact_lock(7301, 1) THEN RETURN known.settled; END IF;
    SELECT one, settled, head, holders, lows, published_at INTO known FROM radd.stream;

    -- The head first and the holders in a later statement: an id drawn in between is above `drawn`.
    -- A prepared transaction keeps its name until the server restarts and is -1/<xid> from then on:
    -- all that is certain of such a holder is that none of its ids was final.
    SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END INTO drawn
      FROM radd.events_id_seq;
    SELECT coalesce(array_agg(h.holder), '{}'),
           coalesce(array_agg(coalesce(k.low, CASE WHEN h.holder LIKE '-1/%' THEN known.settled
                                                   ELSE known.head END)), '{}')
      INTO now_held, now_lows
      FROM (SELECT DISTINCT virtualtransaction AS holder FROM pg_locks
             WHERE locktype = 'relation' AND relation = 'radd.events_id_seq'::regclass
               AND mode = 'RowExclusiveLock'
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) h
      LEFT JOIN unnest(known.holders, known.lows) k(holder, low) ON k.holder = h.holder;
    mark := greatest(known.settled, least(drawn, (SELECT min(low) FROM unnest(now_lows) low)));

    -- An unbroken run of visible ids above the mark is final too. This statement's snapshot is
    -- younger than the look at the locks.
    IF mark < drawn THEN
        SELECT max(s.id) INTO run_end
          FROM (SELECT q.id, row_number() OVER (ORDER BY q.id) AS place
                  FROM (SELECT e.id FROM radd.events e WHERE e.id > mark ORDER BY e.id LIMIT 1000) q) s
         WHERE s.id = mark + s.place;
        mark := greatest(mark, run_end);
    END IF;

    IF drawn <> known.head OR mark <> known.settled OR now_held <> known.holders THEN
        UPDATE radd.stream SET settled = mark, head = drawn, holders = now_held, lows = now_lows,
                               published_at = clock_timestamp();
    END IF;
    -- Never in the emitters' transactions: NOTIFY takes one lock for the whole server at commit.
    IF wake AND mark > known.settled THEN PERFORM pg_notify('radd', ''); END IF;
    RETURN mark;
END $$;
COMMENT ON FUNCTION radd.settle(boolean) IS
    'Brings radd.stream up to date and returns the id up to which everything is final. Call it in a transaction of its own, before radd.read_after(); `wake` also sends NOTIFY radd';

-- Without SET search_path, because a function with one is not inlined and then three times slower;
-- every name is qualified instead, and it runs with the rights of its caller.
CREATE FUNCTION radd.read_after(after bigint, n int DEFAULT 500) RETURNS SETOF radd.events
LANGUAGE sql STABLE AS $$
    SELECT e.id, e.event_type, e.entity_type, e.entity_id, e.actor_id, e.payload, e.changes,
           e.project_id, e.silent, e.automated_cause, e.traceparent, e.occurred_at, e.recorded_at
      FROM radd.events e
     WHERE e.id > $1 AND e.id <= (SELECT s.settled FROM radd.stream s)
     ORDER BY e.id LIMIT $2
$$;
COMMENT ON FUNCTION radd.read_after(bigint, int) IS
    'Final events after a cursor, in order. Any isolation level; also on a standby. Move the cursor only to ids of rows that came back, and keep it in this database';

CREATE FUNCTION radd.head() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT e.id FROM radd.events e
                      WHERE e.id <= (SELECT s.settled FROM radd.stream s)
                      ORDER BY e.id DESC LIMIT 1), 0)
$$;
COMMENT ON FUNCTION radd.head() IS
    'Id of the last row that was final when radd.settle() last ran: where a consumer that starts at the head begins';


-- The order of arguments may grow at the end; call it with names.
CREATE FUNCTION radd.emit(
    event_type text, entity_type text, entity_id text, actor_id uuid DEFAULT NULL,
    payload jsonb DEFAULT '{}', changes jsonb DEFAULT NULL, project_id bigint DEFAULT NULL,
    silent boolean DEFAULT NULL, automated_cause text DEFAULT NULL,
    traceparent text DEFAULT NULL, occurred_at timestamptz DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    drawn bigint;
BEGIN
    IF $1 IS NULL OR octet_length($1) > 100 OR $1 !~ '^[a-z0-9_]+(\.[a-z0-9_]+)*$' THEN
        RAISE EXCEPTION 'radd.emit: event_type % is not lower_case words joined by dots', coalesce(quote_literal(left($1, 100)), 'null')
            USING ERRCODE = '22023';
    END IF;
    IF $2 IS NULL OR octet_length($2) > 100 OR $2 !~ '^[a-z0-9_]+(\.[a-z0-9_]+)*$' THEN
        RAISE EXCEPTION 'radd.emit: entity_type % is not lower_case words joined by dots', coalesce(quote_literal(left($2, 100)), 'null')
            USING ERRCODE = '22023';
    END IF;
    IF coalesce(octet_length($3), 0) NOT BETWEEN 1 AND 200 THEN
        RAISE EXCEPTION 'radd.emit: entity_id has % bytes; 1 to 200 are allowed', coalesce(octet_length($3), 0)
            USING ERRCODE = '22023';
    END IF;
    IF jsonb_typeof($5) IS DISTINCT FROM 'object' THEN
        RAISE EXCEPTION 'radd.emit: payload is %, it must be an object', coalesce(jsonb_typeof($5), 'null')
            USING ERRCODE = '22023';
    END IF;
    IF jsonb_typeof($6) <> 'array' THEN
        RAISE EXCEPTION 'radd.emit: changes is %, it must be an array or null', jsonb_typeof($6)
            USING ERRCODE = '22023';
    END IF;
    -- The marks as the column defaults read them, beaten by an explicit argument.
    INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, payload, changes,
                             project_id, silent, automated_cause, traceparent, occurred_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7,
            coalesce($8, nullif(current_setting('radd.silent', true), '')::boolean, false),
            coalesce($9, nullif(current_setting('radd.automated', true), '')),
            $10, coalesce($11, clock_timestamp()))
    RETURNING events.id INTO drawn;
    RETURN drawn;
END $$;
COMMENT ON FUNCTION radd.emit IS
    'Appends one event in the transaction of its caller and returns its id. Emit after the write it describes: the row lock then makes the order of an entity''s events the order of its commits';


-- One row per transaction that has drawn ids and not ended: while it is open, nobody can read past
-- its lowest id. A prepared transaction has no pid; its gid says what to finish.
CREATE VIEW radd.blockers AS
SELECT l.pid, p.gid, coalesce(a.usename, p.owner) AS usename, a.application_name, a.client_addr,
       CASE WHEN p.gid IS NULL THEN a.state ELSE 'prepared' END AS state,
       coalesce(a.xact_start, p.prepared) AS since,
       clock_timestamp() - coalesce(a.xact_start, p.prepared) AS age,
       a.query, l.virtualtransaction
  FROM pg_catalog.pg_locks l
  LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
  LEFT JOIN pg_catalog.pg_locks x ON l.pid IS NULL AND x.virtualtransaction = l.virtualtransaction
        AND x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock'
  LEFT JOIN pg_catalog.pg_prepared_xacts p ON p.transaction = x.transactionid
 WHERE l.locktype = 'relation' AND l.relation = 'radd.events_id_seq'::regclass
   AND l.mode = 'RowExclusiveLock'
   AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
 ORDER BY since;
COMMENT ON VIEW radd.blockers IS
    'Who holds the stream back: open transactions that have emitted. `query` is empty where the role may not see it';
