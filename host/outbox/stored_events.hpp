#pragma once

/// The stream in the database, as plugins may look back into it.

#include <cstdint>
#include <string>
#include <vector>

#include <host/db/pool.hpp>
#include <radd/event_log.hpp>

namespace radd::outbox {

/// `pool` must outlive it. [any-thread]
class StoredEvents final : public EventLog {
public:
    explicit StoredEvents(db::Pool& pool) : pool_{pool} {}

    [[nodiscard]] std::vector<Event> read(std::int64_t after,
                                          std::int64_t through,
                                          std::int64_t rows) override;
    [[nodiscard]] std::int64_t oldest() override;
    [[nodiscard]] std::string json_line(const Event& event) const override;

private:
    db::Pool& pool_;
};

}  // namespace radd::outbox
