#pragma once

/// The stream in the database, as plugins may look back into it.

#include <cstdint>
#include <string>
#include <vector>

#include <host/db/pool.hpp>
#include <host/outbox/catalog.hpp>
#include <radd/event_log.hpp>

namespace radd::outbox {

/// `pool` and `catalog` must outlive it. [any-thread]
class StoredEvents final : public EventLog {
public:
    StoredEvents(db::Pool& pool, const Catalog& catalog) : pool_{pool}, catalog_{catalog} {}

    [[nodiscard]] std::vector<Event> read(std::int64_t after,
                                          std::int64_t through,
                                          std::int64_t rows) override;
    [[nodiscard]] std::int64_t oldest() override;
    [[nodiscard]] bool may_read(Role reader, std::string_view event_type) const override;
    [[nodiscard]] std::string json_line(const Event& event) const override;

private:
    db::Pool& pool_;
    const Catalog& catalog_;
};

}  // namespace radd::outbox
