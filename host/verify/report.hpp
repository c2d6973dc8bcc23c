#pragma once

/// What `radd verify` has found, and what it has proven.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <host/verify/checks.hpp>

namespace radd::verify {

/// One contradiction, of one consumer or queue.
struct Finding {
    const Check* check;
    std::string subject;     ///< A consumer, a queue, or "stream".
    std::string detail{};    ///< Numbers: what there is and what should be.
    std::int64_t count = 1;  ///< Rows that are so.
    std::string examples{};  ///< Ids of the first of them.
};

/// One consumer, and what the tables say of it.
struct ConsumerProof {
    std::string name;
    std::string plugin;
    std::int64_t seeded_at;
    std::int64_t cursor;
    std::int64_t handled;  ///< By its receipt.
    std::int64_t skipped;  ///< Between seed and cursor, left out of the receipt.
    std::int64_t retried;  ///< Planned again by an operator, and so out of order; on record still.
    std::int64_t expected = 0;  ///< Events between seed and cursor, less the skipped.
    /// "each once"; "unproven": events it has handled are gone from the stream; "contradicted".
    std::string verdict{};
};

struct Report {
    std::vector<ConsumerProof> consumers{};
    std::int64_t events = 0;  ///< Of the stream that were read.
    std::int64_t skips = 0;   ///< Records of skipped events.
    std::int64_t deliveries = 0;
    std::int64_t first_kept = 0;  ///< Events below are gone with their partition.
    std::vector<Finding> findings{};
};

/// "`radd consumers seek csat.sender head` …".
[[nodiscard]] std::string remedy_of(const Finding& finding);

[[nodiscard]] nlohmann::ordered_json to_json(const Report& report);

}  // namespace radd::verify
