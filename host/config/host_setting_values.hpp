#pragma once

/// Settings of the host whose text is more than a number or a word.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/config/host_settings.hpp>
#include <host/config/scalars.hpp>

namespace radd::config {

/// "127.0.0.1:8080", "[::1]:8080", "localhost:0".
[[nodiscard]] Parsed<Endpoint> parse_endpoint(std::string_view text);

/// `5,300,1800`, with or without brackets around it; `[]` for none.
[[nodiscard]] Parsed<std::vector<std::chrono::seconds>> parse_schedule(std::string_view text,
                                                                       Range range);
[[nodiscard]] std::optional<Complaint> too_many_waits(std::size_t count);

/// `10.0.0.0/8,127.0.0.1`, likewise.
[[nodiscard]] Parsed<std::vector<std::string>> parse_proxies(std::string_view text);

/// What is wrong with a text, if anything.
[[nodiscard]] std::optional<Complaint> check_database_url(std::string_view text);
[[nodiscard]] std::optional<Complaint> check_metrics_access(std::string_view text);
[[nodiscard]] std::optional<Complaint> check_public_url(std::string_view text);
[[nodiscard]] std::optional<Complaint> check_installation_name(std::string_view text);

}  // namespace radd::config
