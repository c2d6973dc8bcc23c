#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <host/db/connect_string.hpp>
#include <host/db/errors.hpp>
#include <libpq-fe.h>
#include <poll.h>

namespace radd::db {
namespace {

// A peer that vanished without a word is noticed after 5 + 3 · 2 s when we wait for it, and
// after 10 s when we have sent something.
constexpr auto keepalives_idle = "5";
constexpr auto keepalives_interval = "2";
constexpr auto keepalives_count = "3";
constexpr auto tcp_user_timeout = "10000";

using Keywords = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

bool is_uri(std::string_view url) {
    return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

Keywords parse(const std::string& url) {
    char* problem = nullptr;
    Keywords keywords{PQconninfoParse(url.c_str(), &problem), &PQconninfoFree};
    PQfreemem(problem);  // It quotes what it could not read, which may be half a password.
    return keywords;
}

std::optional<std::string_view> value_of(const Keywords& keywords, std::string_view keyword) {
    for (const auto* option = keywords.get(); option && option->keyword; ++option) {
        if (keyword == option->keyword && option->val && *option->val) return option->val;
    }
    return std::nullopt;
}

/// With an unescaped @ or / in the password, libpq takes a part of it for the host.
bool has_stray_at(std::string_view url, const Keywords& keywords) {
    if (!is_uri(url)) return false;
    const auto signs = std::ranges::count(url.substr(0, url.find('?')), '@');
    const bool has_user = value_of(keywords, "user").has_value();
    return signs > 1 || (signs == 1 && !has_user);
}

/// A URI, because SOCI takes the string apart before libpq sees it, at blanks, whatever quotes
/// stand around them. Percent-encoded there is nothing in it for SOCI to trip over.
void append(std::string& uri, std::string_view keyword, std::string_view value) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    uri.append(uri.empty() ? "postgresql:///?" : "&").append(keyword).append("=");
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (is_plain) {
            uri += c;
        } else {
            uri.append("%").append(1, hex[byte >> 4U]).append(1, hex[byte & 15U]);
        }
    }
}

/// Of `-c a=1 -c a=2` PostgreSQL takes the last: defaults, what the URL says, what we rely on.
std::string server_options(const ConnectOptions& options, std::string_view from_url) {
    std::string text = "-c statement_timeout=" + std::to_string(options.statement_timeout.count());
    text += " -c idle_in_transaction_session_timeout=";
    text += std::to_string(options.idle_in_transaction_timeout.count());
    // Nothing here runs long enough to win back the time that compiling it takes, and the planner,
    // which expects a hundred of whatever a recursive query finds, would compile most lists.
    text.append(" -c lock_timeout=0 -c jit=off ").append(from_url);
    text += " -c TimeZone=UTC -c DateStyle=ISO -c default_transaction_isolation=read\\ committed";
    return text;
}

std::string seconds_up(std::chrono::milliseconds time) {
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(time).count());
}

/// What libpq has to say, as one line and without its advice for people at a psql prompt.
std::string one_line(std::string_view message) {
    std::string line;
    while (!message.empty()) {
        const auto end = message.find('\n');
        const auto part = message.substr(0, end);
        message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
        const bool is_ours = part.starts_with("Cannot establish connection");  // SOCI's heading.
        if (part.empty() || part.front() == '\t' || is_ours) continue;
        line.append(line.empty() ? "" : "; ").append(part);
    }
    return line;
}

struct Diagnosis {
    std::string sqlstate{};
    bool needs_password = false;
};

void wait_for_socket(int socket, bool to_read) {
    constexpr int slice_ms = 100;
    pollfd wanted{
        .fd = socket, .events = static_cast<short>(to_read ? POLLIN : POLLOUT), .revents = 0};
    poll(&wanted, 1, slice_ms);
}

/// Connects once more, asking for SQLSTATEs instead of words: SOCI gives the words alone, which
/// are in the language of the server.
Diagnosis diagnose(const std::string& keywords, std::chrono::seconds timeout) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection{PQconnectStart(keywords.c_str()),
                                                                  &PQfinish};
    if (!connection) return {};
    PQsetErrorVerbosity(connection.get(), PQERRORS_SQLSTATE);
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (auto state = PGRES_POLLING_WRITING; state != PGRES_POLLING_FAILED;
         state = PQconnectPoll(connection.get())) {
        const bool is_late = std::chrono::steady_clock::now() > deadline;
        if (state == PGRES_POLLING_OK || is_late) return {};
        wait_for_socket(PQsocket(connection.get()), state == PGRES_POLLING_READING);
    }
    std::string_view message = PQerrorMessage(connection.get());
    while (message.ends_with('\n')) message.remove_suffix(1);
    Diagnosis diagnosis{.needs_password = PQconnectionNeedsPassword(connection.get()) == 1};
    if (const auto at = message.rfind(":  "); at != std::string_view::npos)
        diagnosis.sqlstate = message.substr(at + 3);
    return diagnosis;
}

std::string remedy_for(const Diagnosis& diagnosis) {
    if (diagnosis.needs_password) return "put the password into database.url";
    if (diagnosis.sqlstate == "28P01") return "check user and password in database.url";
    if (diagnosis.sqlstate.starts_with("28"))
        return "check the user in database.url and the server's pg_hba.conf";
    if (diagnosis.sqlstate == "3D000")
        return "create the database with createdb, or correct its name";
    if (diagnosis.sqlstate == "42501") return "GRANT CONNECT ON DATABASE to this role";
    // PostgreSQL takes what we send at the start of a connection; poolers take none of it.
    if (diagnosis.sqlstate == "08P01")
        return "if this is a pooler in transaction mode, set database.prepared_statements to false";
    return {};
}

}  // namespace

std::string describe_url(const std::string& url) {
    const Keywords keywords = parse(url);
    if (!keywords || has_stray_at(url, keywords)) return "a database url that cannot be read";
    std::string text = "postgresql://";
    const auto user = value_of(keywords, "user");
    if (user) text.append(*user).append("@");
    text.append(value_of(keywords, "host").value_or(value_of(keywords, "hostaddr").value_or("")));
    if (const auto port = value_of(keywords, "port")) text.append(":").append(*port);
    text.append("/").append(value_of(keywords, "dbname").value_or(user.value_or("")));
    return text;
}

std::string connect_string(const ConnectOptions& options) {
    const Keywords keywords = parse(options.url);
    if (options.url.empty() || !keywords) {
        throw ConfigError{
            "database.url: cannot be read; write postgresql://user:password@host:5432/database, "
            "with special characters of the password percent-encoded"};
    }
    if (has_stray_at(options.url, keywords)) {
        throw ConfigError{
            "database.url: the password holds an unescaped '@' or '/'; write %40 or %2F"};
    }
    std::string text;
    for (const auto* option = keywords.get(); option->keyword; ++option) {
        const bool is_ours = std::string_view{option->keyword} == "options" ||
                             std::string_view{option->keyword} == "client_encoding";
        if (option->val && !is_ours) append(text, option->keyword, option->val);
    }
    const std::array<std::pair<const char*, std::string>, 6> defaults{{
        {"application_name", options.application_name},
        {"connect_timeout", seconds_up(options.connect_timeout)},
        {"keepalives_idle", keepalives_idle},
        {"keepalives_interval", keepalives_interval},
        {"keepalives_count", keepalives_count},
        {"tcp_user_timeout", tcp_user_timeout},
    }};
    for (const auto& [keyword, value] : defaults) {
        if (!value_of(keywords, keyword)) append(text, keyword, value);
    }
    append(text, "client_encoding", "UTF8");
    const auto from_url = value_of(keywords, "options").value_or("");
    // A transaction pooler refuses connections that bring options of their own.
    if (options.prepared_statements) append(text, "options", server_options(options, from_url));
    return text;
}

void raise_connect_failure(const ConnectOptions& options,
                           std::string_view message,
                           std::chrono::steady_clock::duration spent) {
    const std::string what = describe_url(options.url) + ": cannot connect: " + one_line(message);
    // Silence the first time is silence the second time, at the same price.
    const bool timed_out = spent >= options.connect_timeout;
    const auto timeout = std::chrono::ceil<std::chrono::seconds>(options.connect_timeout);
    const Diagnosis diagnosis =
        timed_out ? Diagnosis{} : diagnose(connect_string(options), timeout);
    if (const auto remedy = remedy_for(diagnosis); !remedy.empty())
        throw ConfigError{what + "; " + remedy};
    const bool is_refusal = !diagnosis.sqlstate.empty();
    throw Unavailable{what + (is_refusal ? "; try again when the server takes connections"
                                         : "; check that the server runs, and host and port")};
}

}  // namespace radd::db
