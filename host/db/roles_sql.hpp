#pragma once

/// The roles of `radd migrate --roles`, and what each may do.

#include <string_view>

namespace radd::db::sql {

/// Any number of statements, for one transaction of the role that owns the schema radd. Running it
/// again brings the rights to what stands here, for tables that are new as well.
inline constexpr std::string_view grant_roles = R"sql(
-- Group roles without a login: GRANT them to the roles that log in. They belong to the cluster,
-- their rights to this database. Whoever runs this owns the schema: it needs no role here.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['radd_emitter', 'radd_reader', 'radd_host'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted);
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- Another database of the cluster was a moment quicker.
        END;
    END LOOP;
END $$;

REVOKE ALL ON ALL TABLES IN SCHEMA radd FROM radd_emitter, radd_reader, radd_host;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA radd FROM radd_emitter, radd_reader, radd_host;
GRANT USAGE ON SCHEMA radd TO radd_emitter, radd_reader, radd_host;

-- An application: appends, and chooses neither ids nor when it was recorded. SELECT (id) is for
-- radd.emit(), which returns it.
GRANT INSERT (event_type, entity_type, entity_id, actor_id, payload, changes, project_id,
              silent, automated_cause, traceparent, occurred_at), SELECT (id)
   ON radd.events TO radd_emitter, radd_host;

-- Whoever reads the stream in SQL: radd.settle() and then radd.read_after().
GRANT SELECT ON radd.events, radd.stream, radd.blockers TO radd_reader;

-- `radd serve` where the migrations are current, and every command that changes no schema.
GRANT SELECT ON ALL TABLES IN SCHEMA radd TO radd_host;
GRANT SELECT ON SEQUENCE radd.events_id_seq TO radd_host;
GRANT INSERT, UPDATE ON radd.consumers, radd.skipped_events TO radd_host;
-- Of what was settled long ago.
GRANT DELETE ON radd.skipped_events TO radd_host;
-- To lock its row against a floor that rises. What is dropped, the owner alone decides.
GRANT UPDATE (raised_at) ON radd.retention TO radd_host;
DO $$
DECLARE
    part record;
BEGIN
    -- Accounts, and whatever else the core keeps beside the stream.
    FOR part IN
        SELECT c.relname AS name
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'radd' AND c.relkind = 'r' AND NOT c.relispartition
           AND c.relname NOT IN ('migrations', 'stream', 'consumers', 'skipped_events',
                                 'retention')
    LOOP
        EXECUTE format('GRANT INSERT, UPDATE, DELETE ON radd.%I TO radd_host', part.name);
    END LOOP;
    -- Plugins keep their tables in a schema of their own name.
    FOR part IN
        SELECT n.nspname AS name FROM pg_catalog.pg_namespace n
         WHERE n.nspname IN (SELECT split_part(m.owner, '.', 1) FROM radd.migrations m
                              WHERE m.owner <> 'core')
    LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO radd_host', part.name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO radd_host',
                       part.name);
        EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO radd_host', part.name);
    END LOOP;
    -- The start-up check of pg_locks draws from a sequence of its own. PUBLIC may, unless somebody
    -- has taken that away.
    IF NOT has_database_privilege('radd_host', current_database(), 'TEMP') THEN
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO radd_host', current_database());
    END IF;
END $$;

-- Partitions are made ahead by whoever serves, and belong to the owner of radd.events.
ALTER FUNCTION radd.ensure_partitions(bigint, bigint) SECURITY DEFINER;
GRANT EXECUTE ON FUNCTION radd.ensure_partitions(bigint, bigint) TO radd_host;
)sql";

}  // namespace radd::db::sql
