#pragma once

/// The host's log: lines for people on a terminal, JSON lines for machines, both on stderr.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <radd/services.hpp>

namespace radd::log {

enum class Format : std::uint8_t { human, json };

struct Options {
    LogLevel level = LogLevel::info;
    Format format = Format::human;
};

/// Longest message in bytes; what is over it is cut between code points and marked.
inline constexpr std::size_t message_bytes_max = 8192;

/// `text` as one harmless line: control characters and line breaks escaped, invalid UTF-8
/// replaced by U+FFFD, cut at `bytes_max`. What cannot be trusted to be text goes through here.
[[nodiscard]] std::string one_line(std::string_view text,
                                   std::size_t bytes_max = message_bytes_max);

/// What a machine should not have to pick out of a message.
struct Field {
    std::string_view name;
    std::variant<std::string_view, std::int64_t, double> value;
};

/// For lines that are looked up and counted: in JSON each field is a member of the line's object,
/// beside `message`; people get the message alone, which says the same. [any-thread]
class FieldLog {
public:
    virtual ~FieldLog() = default;
    virtual void write(LogLevel level,
                       std::string_view message,
                       std::span<const Field> fields) noexcept = 0;
};

/// Owns the sink that every logger of the process writes to. Loggers must not outlive it.
class Logging {
public:
    explicit Logging(Options options);
    Logging(const Logging&) = delete;
    Logging& operator=(const Logging&) = delete;
    ~Logging();  ///< Flushes.

    /// A logger whose lines carry `component`: "tail", or a plugin's id. [any-thread]
    [[nodiscard]] std::unique_ptr<Log> logger(std::string component);
    [[nodiscard]] std::unique_ptr<Log> logger(std::string component, LogLevel level);
    [[nodiscard]] std::unique_ptr<FieldLog> field_logger(std::string component);

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// @throws ConfigError unless it is one of debug, info, warn, error.
[[nodiscard]] LogLevel level_from(std::string_view name);

}  // namespace radd::log
