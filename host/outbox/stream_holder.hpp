#pragma once

/// Who holds the stream back.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <host/db/session.hpp>

namespace radd::outbox {

/// Who holds the stream back: a transaction that has drawn ids and not ended.
struct StreamHolder {
    std::int64_t hole_id;    ///< The lowest id that is not final.
    std::optional<int> pid;  ///< Empty for a prepared transaction.
    std::string gid;         ///< Set for a prepared transaction: COMMIT or ROLLBACK PREPARED it.
    std::chrono::milliseconds age;  ///< Of the transaction, or of the hole where that is hidden.
    std::string application_name;
    std::string state;
    std::string query;  ///< Empty where our role may not see it.
};

/// Looks for the transaction that holds the hole at `hole_id`. `age` is the hole's, for where the
/// transaction's is hidden. @throws as Session::query().
[[nodiscard]] StreamHolder find_holder(db::Session& session,
                                       const std::string& virtualtransaction,
                                       std::int64_t hole_id,
                                       std::chrono::milliseconds age);

}  // namespace radd::outbox
