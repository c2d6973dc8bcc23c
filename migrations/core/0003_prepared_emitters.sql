-- A prepared emitter keeps the stream back over a restart of the server as well.
--
-- PREPARE keeps the virtual transaction's name, but after a restart PostgreSQL calls it -1/<xid>.
-- Under that name settle() had never met it, took it for a transaction that began after the last
-- look, and passed the ids it had drawn before: COMMIT PREPARED then showed events that every
-- reader had passed. All that is certain of such a holder is that none of its ids was final.

CREATE OR REPLACE FUNCTION radd.settle(wake boolean DEFAULT false) RETURNS bigint
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
