#pragma once

/// JSON Schemas of what the kernel's routes take and give; they are the API's document.

#include <cstdint>
#include <vector>

#include <radd/http.hpp>

namespace radd::api {

inline constexpr std::int64_t page_rows_max = 500;

namespace schema {

// What is given.
[[nodiscard]] json healthz();
[[nodiscard]] json readyz();
[[nodiscard]] json overview();
[[nodiscard]] json history();
[[nodiscard]] json consumer();
[[nodiscard]] json resumed();
[[nodiscard]] json seek();
[[nodiscard]] json retry();
[[nodiscard]] json skipped_event();
[[nodiscard]] json event();
[[nodiscard]] json event_type();
[[nodiscard]] json action();
[[nodiscard]] json plugins();
/// {"<name>":[entry…]}
[[nodiscard]] json list(const char* name, const json& entry);
/// {"<name>":[entry…],"next":{"before":id}|{"after":id}|null}
[[nodiscard]] json page(const char* name, const json& entry);

// What is taken.
[[nodiscard]] json empty_request();
[[nodiscard]] json pause_request();
[[nodiscard]] json seek_request();
[[nodiscard]] json retry_request();
[[nodiscard]] std::vector<QueryParameter> skipped_query();
[[nodiscard]] std::vector<QueryParameter> event_query();
[[nodiscard]] std::vector<QueryParameter> activity_query();

}  // namespace schema
}  // namespace radd::api
