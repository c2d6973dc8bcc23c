-- A look at the sequence may be 32 ids ahead of what was drawn, and the stream must not believe it.
--
-- Of 32 draws, nextval() logs the first: it writes the value that a crash would restart at into
-- the page, logs it and puts the drawn one back, all under the lock of the page. A scan waits for
-- that lock, lets it go and reads the page after that, so it can meet the value that was logged.
-- A head that is ahead does harm twice. It is remembered as the low of whoever is seen holding ids
-- next, so that an id of theirs looks final when a lower holder ends; and if whoever drew has
-- committed before the locks are looked at, it is the mark. What commits below a mark that is too
-- high is passed by every reader.
--
-- Of three scans, each begins when the draw that the one before has met is over. All three are
-- ahead only if three draws have logged: the second does so because 32 have been drawn since, and
-- then the first has told nothing wrong, or because a checkpoint has set a new redo point. So the
-- least of three is wrong only if two of those lie between the first draw and the third look.
CREATE FUNCTION radd.drawn() RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT least((SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
                    FROM radd.events_id_seq),
                 (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
                    FROM radd.events_id_seq),
                 (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
                    FROM radd.events_id_seq))
$$;
COMMENT ON FUNCTION radd.drawn() IS
    'Last id that was drawn for an event; never one that is still to be drawn';

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

    -- Nothing drawn since: two cheap reads, no look at the locks, no write. One that is ahead only
    -- costs that look.
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
    drawn := radd.drawn();
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
