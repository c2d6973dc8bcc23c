#pragma once

/// CSV files that need no file.

#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include <plugins/importer/csv_source.hpp>
#include <tests/support/repeated_columns.hpp>

namespace radd::testing {

inline importer::CsvSource::Open csv_file(std::string text) {
    return [text = std::move(text)] { return std::make_unique<std::istringstream>(text); };
}

/// Wall times are UTC.
inline importer::Instant utc(importer::WallTime wall) {
    return {.at = Timestamp{wall.time_since_epoch()}};
}

inline importer::CsvOptions csv_options() {
    return {.times = {.usual = {.zone = utc}}, .now = Timestamp{std::chrono::hours{24 * 20000}}};
}

}  // namespace radd::testing
