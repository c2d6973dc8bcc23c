#pragma once

/// One line for each request that was answered.

#include <chrono>
#include <cstddef>

#include <host/log/logging.hpp>
#include <host/web/dispatch.hpp>

namespace radd::web {

/// Method, path, status, bytes on the wire, how long it took, the request's id, the client and who
/// it was. Never a query, a token or a one-time code. At info; what health checks and scrapes get
/// while all is well, at debug.
void log_access(log::FieldLog& log,
                const Call& call,
                const Outgoing& answer,
                std::size_t bytes,
                std::chrono::steady_clock::duration took) noexcept;

}  // namespace radd::web
