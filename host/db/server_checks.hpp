#pragma once

/// Whether a server is one the host can work with.

#include <host/db/session.hpp>

namespace radd::db {

constexpr int server_version_min = 130000;

/// `version` as the server numbers it: 130004 is 13.4. @throws ConfigError if it is too old.
void check_version(int version);

/// Asks the server, in one round trip, whether it is new enough, a primary that takes writes,
/// keeps text as UTF-8, and whether our role may create the schema `radd` or use the one there is.
/// That it can be reached at all is what opening a Session has shown.
/// @throws ConfigError naming the first thing that is wrong, and its remedy, in one line.
void check_server(Session& session);

}  // namespace radd::db
