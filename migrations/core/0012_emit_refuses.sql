-- radd.emit() refuses what the SDK's emit() refuses.
--
-- It kept the rules of names, ids and outermost JSON types alone. What only plugins declare is
-- still not asked for: refs of subjects, and whether a type says has_changes. JSON is measured as
-- PostgreSQL prints it, which is how it is read; it is walked only where its length leaves room
-- for what is looked for.
CREATE OR REPLACE FUNCTION radd.emit(
    event_type text, entity_type text, entity_id text, actor_id uuid DEFAULT NULL,
    payload jsonb DEFAULT '{}', changes jsonb DEFAULT NULL, project_id bigint DEFAULT NULL,
    silent boolean DEFAULT NULL, automated_cause text DEFAULT NULL,
    traceparent text DEFAULT NULL, occurred_at timestamptz DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- The marks as the column defaults read them, beaten by an explicit argument.
    cause   text := nullif(coalesce($9, current_setting('radd.automated', true)), '');
    -- A double ends at 1.8e308. No text, object or array is above a number.
    huge    CONSTANT jsonpath := 'strict $.** ? (@ > 1.7976931348623158e308 || @ < -1.7976931348623158e308)'::jsonpath;
    bytes   int;
    place   bigint;
    drawn   bigint;
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
    IF octet_length(cause) > 1000 THEN
        RAISE EXCEPTION 'radd.emit: automated_cause has % bytes, the limit is 1000', octet_length(cause)
            USING ERRCODE = '22023';
    END IF;
    IF octet_length($10) > 200 THEN
        RAISE EXCEPTION 'radd.emit: traceparent has % bytes, the limit is 200', octet_length($10)
            USING ERRCODE = '22023';
    END IF;
    IF $11 < '0001-01-01 00:00:00+00' OR $11 >= '10000-01-01 00:00:00+00' THEN
        RAISE EXCEPTION 'radd.emit: occurred_at % is outside the years 1 to 9999', $11
            USING ERRCODE = '22023';
    END IF;

    IF jsonb_typeof($5) IS DISTINCT FROM 'object' THEN
        RAISE EXCEPTION 'radd.emit: payload is %, it must be an object', coalesce(jsonb_typeof($5), 'null')
            USING ERRCODE = '22023';
    END IF;
    bytes := octet_length($5::text);
    IF bytes > 262144 THEN
        RAISE EXCEPTION 'radd.emit: payload has % bytes, the limit is 262144', bytes
            USING ERRCODE = '22023';
    END IF;
    IF bytes > 128 AND jsonb_path_exists($5,
           'strict $.**{64} ? (@.type() == "object" || @.type() == "array")') THEN
        RAISE EXCEPTION 'radd.emit: payload is nested deeper than 64 levels'
            USING ERRCODE = '22023';
    END IF;
    IF bytes > 308 AND jsonb_path_exists($5, huge) THEN
        RAISE EXCEPTION 'radd.emit: payload holds a number out of range; send it as text'
            USING ERRCODE = '22023';
    END IF;

    IF $6 IS NOT NULL THEN
        IF jsonb_typeof($6) <> 'array' THEN
            RAISE EXCEPTION 'radd.emit: changes is %, it must be an array or null', jsonb_typeof($6)
                USING ERRCODE = '22023';
        END IF;
        IF jsonb_array_length($6) > 1000 THEN
            RAISE EXCEPTION 'radd.emit: changes has % entries, the limit is 1000', jsonb_array_length($6)
                USING ERRCODE = '22023';
        END IF;
        bytes := octet_length($6::text);
        IF bytes > 262144 THEN
            RAISE EXCEPTION 'radd.emit: changes has % bytes, the limit is 262144; hide long values', bytes
                USING ERRCODE = '22023';
        END IF;
        SELECT c.n - 1 INTO place
          FROM jsonb_array_elements($6) WITH ORDINALITY c(entry, n)
         WHERE CASE WHEN jsonb_typeof(c.entry) <> 'object' THEN true
                    WHEN jsonb_typeof(c.entry -> 'field') IS DISTINCT FROM 'string' THEN true
                    WHEN octet_length(c.entry ->> 'field') NOT BETWEEN 1 AND 200 THEN true
                    WHEN c.entry ?& '{from,to}' THEN c.entry - '{field,from,to}'::text[] <> '{}'
                    WHEN jsonb_typeof(c.entry -> 'added') = 'array'
                         AND jsonb_typeof(c.entry -> 'removed') = 'array'
                    THEN c.entry - '{field,added,removed}'::text[] <> '{}'
                    ELSE c.entry - 'field' <> '{}' END
         ORDER BY c.n LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'radd.emit: changes[%] is neither {field, from, to} nor {field, added, removed} nor {field}; field is a text of 1 to 200 bytes, added and removed are arrays', place
                USING ERRCODE = '22023';
        END IF;
        -- The array and its entries are two levels more.
        IF bytes > 128 AND jsonb_path_exists($6,
               'strict $.**{66} ? (@.type() == "object" || @.type() == "array")') THEN
            RAISE EXCEPTION 'radd.emit: changes hold a value that is nested deeper than 64 levels'
                USING ERRCODE = '22023';
        END IF;
        IF bytes > 308 AND jsonb_path_exists($6, huge) THEN
            RAISE EXCEPTION 'radd.emit: changes hold a number out of range; send it as text'
                USING ERRCODE = '22023';
        END IF;
    END IF;

    INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, payload, changes,
                             project_id, silent, automated_cause, traceparent, occurred_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7,
            coalesce($8, nullif(current_setting('radd.silent', true), '')::boolean, false),
            cause, $10, coalesce($11, clock_timestamp()))
    RETURNING events.id INTO drawn;
    RETURN drawn;
END $$;
