#pragma once

/// From a database URL to a connection, and to words about it that hold no password.

#include <chrono>
#include <string>
#include <string_view>

#include <host/db/session.hpp>

namespace radd::db {

/// `postgresql://app@db.example:5432/tracker`: where a URL leads, without its password. Never
/// throws; what cannot be read is called so, and not repeated.
[[nodiscard]] std::string describe_url(const std::string& url);

/// What libpq is opened with: the URL, and each setting of ours that it does not make itself.
/// @throws ConfigError if it is neither a postgresql:// URI nor libpq keywords. The message
///         repeats no part of it, because a password with a stray character is what breaks it.
[[nodiscard]] std::string connect_string(const ConnectOptions& options);

/// Says why no connection came about, `spent` on the attempt that failed with `message`.
/// @throws ConfigError if trying again is no use: password, role, database, right to connect.
/// @throws Unavailable otherwise.
[[noreturn]] void raise_connect_failure(const ConnectOptions& options,
                                        std::string_view message,
                                        std::chrono::steady_clock::duration spent);

}  // namespace radd::db
