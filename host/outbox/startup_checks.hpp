#pragma once

/// What must be true of the database before anybody may trust the stream.

#include <host/db/session.hpp>
#include <radd/services.hpp>

namespace radd::outbox {

/// Checks, in this order, and repairs what can be repaired without a decision:
/// - the server is a primary and takes writes;
/// - ids are drawn one by one (CACHE 1, increment 1), else ids outlive the transaction's lock;
/// - a transaction that drew an id is seen in pg_locks until its end, also after a rolled-back
///   savepoint: the settle rule rests on it. Tried on a temporary sequence, so no id is burnt;
/// - the sequence is ahead of every row. A restore or a backfill with OVERRIDING SYSTEM VALUE
///   leaves it behind, and what is appended then lands below every cursor. It is set forward,
///   with emitters locked out for that moment, and a warning says so;
/// - partitions reach far enough; missing ones are made.
///
/// Whether a cursor lies beyond the sequence is the consumers' own check.
/// @throws ConfigError with the remedy; Unavailable.
void check_stream(db::Session& session, Log& log);

}  // namespace radd::outbox
