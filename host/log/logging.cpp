#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>
#include <spdlog/formatter.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <host/log/logging.hpp>
#include <radd/terminal_text.hpp>

namespace radd::log {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warn:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

std::string_view level_name(spdlog::level::level_enum level) {
    switch (level) {
        case spdlog::level::debug:
            return "debug";
        case spdlog::level::info:
            return "info";
        case spdlog::level::warn:
            return "warn";
        default:
            return "error";
    }
}

/// Between a message and its fields in a payload: one_line() lets no such character through, so
/// nothing that is logged can pass for a field.
constexpr char field_mark = '\x1F';

/// One JSON object a line. spdlog's patterns do not escape, so a quote in a message would end it.
class JsonFormatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
        const auto since_epoch = message.time.time_since_epoch();
        const auto micros =
            std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count() % 1'000'000;
        const std::time_t seconds = std::chrono::system_clock::to_time_t(message.time);
        std::tm utc{};
        gmtime_r(&seconds, &utc);
        const std::string_view payload{message.payload.data(), message.payload.size()};
        const auto mark = std::min(payload.find(field_mark), payload.size());
        auto object = nlohmann::ordered_json{
            {"time",
             fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
                         utc.tm_year + 1900,
                         utc.tm_mon + 1,
                         utc.tm_mday,
                         utc.tm_hour,
                         utc.tm_min,
                         utc.tm_sec,
                         micros)},
            {"level", level_name(message.level)},
            {"component", std::string_view{message.logger_name.data(), message.logger_name.size()}},
            {"message", payload.substr(0, mark)}};
        if (mark != payload.size())
            object.update(nlohmann::ordered_json::parse(payload.substr(mark + 1)));
        const auto line =
            object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
        out.append(line);
        out.push_back('\n');
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<JsonFormatter>();
    }
};

}  // namespace

std::string one_line(std::string_view text, std::size_t bytes_max) {
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    constexpr std::string_view cut_mark = " …";
    std::string line;
    line.reserve(std::min(text.size(), bytes_max) + cut_mark.size());
    for (std::size_t at = 0; at < text.size();) {
        std::string piece;
        std::size_t length = terminal::sequence_length(text.substr(at));
        if (length == 0) {
            piece = replacement;
            length = 1;
        } else {
            piece = terminal_text(text.substr(at, length));
        }
        if (line.size() + piece.size() > bytes_max) return line.append(cut_mark);
        line += piece;
        at += length;
    }
    return line;
}

struct Logging::State {
    Options options;
    spdlog::sink_ptr sink;
};

namespace {

class SpdlogLog final : public Log {
public:
    SpdlogLog(std::string component, spdlog::sink_ptr sink, LogLevel level)
        : logger_{std::move(component), std::move(sink)} {
        logger_.set_level(spdlog_level(level));
        logger_.flush_on(spdlog::level::warn);
    }
    ~SpdlogLog() override { logger_.flush(); }

    void write(LogLevel level, std::string_view message) noexcept override {
        const auto wanted = spdlog_level(level);
        if (!logger_.should_log(wanted)) return;
        try {
            // As a view: a message is never a format string.
            logger_.log(wanted, spdlog::string_view_t{one_line(message)});
        } catch (...) {
            // A log that cannot be written must not stop the work it tells of.
        }
    }

private:
    spdlog::logger logger_;
};

class SpdlogFieldLog final : public FieldLog {
public:
    SpdlogFieldLog(std::string component, spdlog::sink_ptr sink, const Options& options)
        : logger_{std::move(component), std::move(sink)}, format_{options.format} {
        logger_.set_level(spdlog_level(options.level));
    }
    ~SpdlogFieldLog() override { logger_.flush(); }

    void write(LogLevel level,
               std::string_view message,
               std::span<const Field> fields) noexcept override {
        const auto wanted = spdlog_level(level);
        if (!logger_.should_log(wanted)) return;
        try {
            auto payload = one_line(message);
            if (format_ == Format::json) payload += field_mark + to_json(fields);
            logger_.log(wanted, spdlog::string_view_t{payload});
        } catch (...) {
            // A log that cannot be written must not stop the work it tells of.
        }
    }

private:
    static std::string shown(std::string_view text) { return one_line(text); }
    template <typename Number>
    static Number shown(Number number) {
        return number;
    }
    static std::string to_json(std::span<const Field> fields) {
        nlohmann::ordered_json object;
        for (const Field& field : fields)
            std::visit([&](const auto& value) { object[std::string{field.name}] = shown(value); },
                       field.value);
        return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    }

    spdlog::logger logger_;
    Format format_;
};

}  // namespace

Logging::Logging(Options options) : state_{std::make_shared<State>()} {
    state_->options = options;
    state_->sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    if (options.format == Format::json) {
        state_->sink->set_formatter(std::make_unique<JsonFormatter>());
    } else {
        state_->sink->set_pattern("%H:%M:%S.%e %^%-7l%$ %n: %v");
    }
}

Logging::~Logging() {
    state_->sink->flush();
}

std::unique_ptr<Log> Logging::logger(std::string component) {
    return logger(std::move(component), state_->options.level);
}

std::unique_ptr<Log> Logging::logger(std::string component, LogLevel level) {
    return std::make_unique<SpdlogLog>(std::move(component), state_->sink, level);
}

std::unique_ptr<FieldLog> Logging::field_logger(std::string component) {
    return std::make_unique<SpdlogFieldLog>(std::move(component), state_->sink, state_->options);
}

LogLevel level_from(std::string_view name) {
    if (name == "debug") return LogLevel::debug;
    if (name == "info") return LogLevel::info;
    if (name == "warn") return LogLevel::warn;
    if (name == "error") return LogLevel::error;
    throw ConfigError{"log level: '" + std::string{name} +
                      "' is not one of debug, info, warn, error"};
}

}  // namespace radd::log
