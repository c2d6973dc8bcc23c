#pragma once

/// From a plugin's event to the row that is written: everything that can be refused is refused
/// here, before PostgreSQL sees it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <host/outbox/catalog.hpp>
#include <host/outbox/emit_policy.hpp>
#include <radd/event.hpp>
#include <radd/services.hpp>
#include <radd/transaction.hpp>

namespace radd::outbox {

/// Limits beside those of <radd/event.hpp>, which bound what the plugin itself hands over.
inline constexpr std::size_t payload_with_refs_bytes_max = 1024 * 1024;
inline constexpr std::size_t changes_bytes_max = 256 * 1024;
inline constexpr std::size_t automated_cause_bytes_max = 1000;
inline constexpr std::size_t traceparent_bytes_max = 200;

/// One row of radd.events as it will be inserted. Marks are the thread's at the time of emit.
struct EventRow {
    std::string type;
    std::string entity;
    std::string entity_id;
    std::optional<std::string> actor_id;
    std::string payload;
    std::optional<std::string> changes;
    std::optional<std::int64_t> project_id;
    bool silent;
    std::optional<std::string> automated_cause;
    std::optional<std::string> traceparent;
    std::optional<std::string> occurred_at;  ///< Empty: now, by the database's clock.
};

/// Checks events, resolves their subjects and makes rows of them. One thread at a time.
class Emitter {
public:
    Emitter(const Catalog& catalog, EmitPolicy policy, Log& log)
        : catalog_{&catalog}, policy_{policy}, log_{&log} {}

    /// All or nothing. Refs are read with `tx`, in one query per entity type.
    /// @throws as Transaction::emit(); SchemaError if the owner of an entity breaks its own ref.
    [[nodiscard]] std::vector<EventRow> prepare(Transaction& tx, std::span<const NewEvent> events);

private:
    const Catalog* catalog_;
    EmitPolicy policy_;
    Log* log_;
};

}  // namespace radd::outbox
