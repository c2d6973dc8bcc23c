#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <host/web/access_log.hpp>

namespace radd::web {
namespace {

std::string_view or_dash(std::string_view text) {
    return text.empty() ? "-" : text;
}

/// Probes and scrapes come by every few seconds and say nothing while all is well.
LogLevel level_of(const Call& call, const Outgoing& answer) {
    constexpr int errors_from = 400;
    const bool is_routine =
        call.route != nullptr && !call.route->needs_database && answer.status < errors_from;
    return is_routine ? LogLevel::debug : LogLevel::info;
}

}  // namespace

void log_access(log::FieldLog& log,
                const Call& call,
                const Outgoing& answer,
                std::size_t bytes,
                std::chrono::steady_clock::duration took) noexcept {
    try {
        // Tenths of a millisecond are what a person can use, and what a JSON number shows well.
        constexpr double tenth = 10;
        const double duration_ms =
            std::round(std::chrono::duration<double, std::milli>{took}.count() * tenth) / tenth;
        std::array<char, 32> shown_ms{};
        std::snprintf(shown_ms.data(), shown_ms.size(), "%.1f", duration_ms);

        const auto method = or_dash(call.request.method);
        const auto path = or_dash(call.logged_path);
        std::string message{method};
        message.append(" ").append(path).append(" ").append(std::to_string(answer.status));
        message.append(", ").append(std::to_string(bytes)).append(" B in ");
        message.append(shown_ms.data()).append(" ms, ").append(or_dash(call.remote_address));
        message.append(", request ").append(call.request_id);
        const std::array<log::Field, 8> fields{
            log::Field{"method", method},
            log::Field{"path", path},
            log::Field{"status", std::int64_t{answer.status}},
            log::Field{"bytes", static_cast<std::int64_t>(bytes)},
            log::Field{"duration_ms", duration_ms},
            log::Field{"request_id", std::string_view{call.request_id}},
            log::Field{"remote_address", std::string_view{call.remote_address}},
            log::Field{"principal_id", std::string_view{answer.principal_id}}};
        log.write(level_of(call, answer), message, fields);
    } catch (...) {
        // A log that cannot be written must not stop the work it tells of.
    }
}

}  // namespace radd::web
