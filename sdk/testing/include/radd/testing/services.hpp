#pragma once

/// What the host lends a plugin, played by the test.

#include <charconv>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <radd/mailer.hpp>
#include <radd/manifest.hpp>
#include <radd/testing/catalog.hpp>
#include <radd/testing/delivery.hpp>
#include <radd/testing/outbound.hpp>
#include <radd/testing/transaction.hpp>

namespace radd::testing {

/// Stands still until the test moves it. Starts at noon of 2026-01-01, a Thursday, UTC.
class FakeClock final : public Clock {
public:
    [[nodiscard]] Timestamp now() const override { return wall_; }
    [[nodiscard]] std::chrono::steady_clock::time_point steady_now() const override {
        return steady_;
    }

    /// Both clocks, forward.
    void advance(std::chrono::microseconds by) {
        wall_ += by;
        steady_ += by;
    }
    /// The wall clock alone, in any direction: somebody set it.
    void set_wall(Timestamp to) { wall_ = to; }

private:
    Timestamp wall_ =
        std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} + std::chrono::hours{12};
    std::chrono::steady_clock::time_point steady_{std::chrono::hours{1}};
};

/// The same numbers in every run, different ones at every call; or what the test queues.
class FakeRandom final : public Random {
public:
    /// The next unanswered bits() returns `value`.
    void queue(std::uint64_t value) { queued_.push_back(value); }

    [[nodiscard]] std::uint64_t bits() override {
        if (!queued_.empty()) {
            const auto value = queued_.front();
            queued_.pop_front();
            return value;
        }
        // splitmix64, https://prng.di.unimi.it/splitmix64.c
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        return mixed ^ (mixed >> 31);
    }

private:
    std::deque<std::uint64_t> queued_;
    std::uint64_t state_ = 0;
};

/// Keeps what was logged.
class FakeLog final : public Log {
public:
    struct Line {
        LogLevel level;
        std::string message;
    };

    void write(LogLevel level, std::string_view message) noexcept override {
        lines_.push_back({level, std::string{message}});
    }
    [[nodiscard]] const std::vector<Line>& lines() const noexcept { return lines_; }
    [[nodiscard]] bool contains(std::string_view fragment) const {
        for (const auto& line : lines_) {
            if (line.message.find(fragment) != std::string::npos) return true;
        }
        return false;
    }

private:
    std::vector<Line> lines_;
};

/// A relay that keeps every mail it takes, and fails when told to.
class FakeMailer final : public Mailer {
public:
    [[nodiscard]] const std::vector<Mail>& sent() const noexcept { return sent_; }
    /// How often send() was called, failures included.
    [[nodiscard]] std::size_t attempts() const noexcept { return attempts_; }

    /// The next `times` calls throw `error` and keep nothing.
    template <typename Error>
    void fail_next(Error error, std::size_t times = 1) {
        failures_.insert(failures_.end(), times, std::make_exception_ptr(std::move(error)));
    }

    void send(const Mail& mail) override {
        ++attempts_;
        if (!failures_.empty()) {
            const auto failure = std::move(failures_.front());
            failures_.pop_front();
            std::rethrow_exception(failure);
        }
        sent_.push_back(mail);
    }

private:
    std::vector<Mail> sent_;
    std::size_t attempts_ = 0;
    std::deque<std::exception_ptr> failures_;
};

/// The values of a plugin's settings: declared defaults, and what the test sets. As strict as the
/// host's: an undeclared name or another type is a ConfigError, and so is a setting without a
/// value.
class FakeSettings final : public Settings {
public:
    FakeSettings() = default;
    explicit FakeSettings(std::vector<SettingSpec> specs) : specs_{std::move(specs)} {}

    /// As in YAML, but a duration is in milliseconds: "5", "true", "2000ms". @throws ConfigError if
    /// undeclared.
    void set(std::string_view name, std::string value) {
        (void)spec(name);
        values_.insert_or_assign(std::string{name}, std::move(value));
    }

    [[nodiscard]] std::int64_t integer(std::string_view name) const override {
        return number(value(name, SettingType::integer), name);
    }
    [[nodiscard]] std::chrono::milliseconds duration(std::string_view name) const override {
        const std::string& text = value(name, SettingType::duration);
        if (!text.ends_with("ms")) throw ConfigError{"setting '" + std::string{name} + "': no ms"};
        return std::chrono::milliseconds{number(text.substr(0, text.size() - 2), name)};
    }
    [[nodiscard]] bool boolean(std::string_view name) const override {
        return value(name, SettingType::boolean) == "true";
    }
    [[nodiscard]] const std::string& text(std::string_view name) const override {
        const auto type = spec(name).type;
        const bool textual =
            type == SettingType::text || type == SettingType::choice || type == SettingType::secret;
        return value(name, textual ? type : SettingType::text);
    }

private:
    [[nodiscard]] const SettingSpec& spec(std::string_view name) const {
        for (const auto& spec : specs_) {
            if (spec.name == name) return spec;
        }
        throw ConfigError{"setting '" + std::string{name} + "': the manifest declares no such one"};
    }
    [[nodiscard]] const std::string& value(std::string_view name, SettingType type) const {
        const auto& declared = spec(name);
        if (declared.type != type)
            throw ConfigError{"setting '" + std::string{name} + "': is of another type"};
        const auto given = values_.find(name);
        if (given != values_.end()) return given->second;
        if (!declared.default_text)
            throw ConfigError{"setting '" + std::string{name} + "': is required; set() it"};
        return *declared.default_text;
    }
    static std::int64_t number(const std::string& text, std::string_view name) {
        std::int64_t parsed = 0;
        const auto* end = text.data() + text.size();
        if (const auto result = std::from_chars(text.data(), end, parsed);
            result.ec != std::errc{} || result.ptr != end)
            throw ConfigError{"setting '" + std::string{name} + "': '" + text + "' is no number"};
        return parsed;
    }

    std::vector<SettingSpec> specs_;
    std::map<std::string, std::string, std::less<>> values_;
};

/// The stream as the test appends it; FixtureHost fills it.
class FakeEventLog final : public EventLog {
public:
    std::deque<Event> rows{};                    ///< In order of id.
    std::set<std::string> for_administrators{};  ///< Types that members may not read.

    [[nodiscard]] std::vector<Event> read(std::int64_t after,
                                          std::int64_t through,
                                          std::int64_t limit) override {
        if (limit < 1 || limit > read_rows_max)
            throw InvalidInput{"rows", "is not in 1 to " + std::to_string(read_rows_max)};
        std::vector<Event> found;
        for (const Event& event : rows) {
            if (event.id > after && event.id <= through && std::cmp_less(found.size(), limit))
                found.push_back(event);
        }
        return found;
    }
    [[nodiscard]] std::int64_t oldest() override { return rows.empty() ? 0 : rows.front().id; }
    [[nodiscard]] bool may_read(Role reader, std::string_view event_type) const override {
        return reader == Role::admin || !for_administrators.contains(std::string{event_type});
    }
    /// Its id, type and payload are what tests look at.
    [[nodiscard]] std::string json_line(const Event& event) const override {
        return json{{"id", event.id},
                    {"event_type", event.type},
                    {"entity_type", event.entity_type},
                    {"entity_id", event.entity_id},
                    {"payload", event.payload()}}
            .dump();
    }
};

/// All of it together. The parts are public because the test and the plugin share them.
class FakeServices final : public Services {
public:
    FakeSettings values{};
    const Settings* given = nullptr;  ///< Instead of `values`, if set.
    FakeLog lines{};
    FakeClock time{};
    FakeRandom chance{};
    FakeDatabase storage{};
    FakeDeliveries queues{};
    FakeHttpClient outbound{};
    FakeSecrets vault{};
    std::vector<std::chrono::seconds> retries{};
    std::vector<NotificationKindSpec> kinds{};
    FakeEventLog history{};
    FakeCatalog declared{};
    std::string url = "https://radd.example";
    bool stopping = false;

    /// `services.get<T>()` finds `service`, which must outlive this.
    template <typename T>
    void offer(T& service) {
        lent_.insert_or_assign(std::string{T::service_name}, static_cast<Service*>(&service));
    }
    /// Made at its first use, as the host does.
    void offer(ServiceSpec spec) {
        auto name = spec.name;
        specs_.insert_or_assign(std::move(name), std::move(spec));
    }

    [[nodiscard]] const Settings& settings() const override { return given ? *given : values; }
    [[nodiscard]] Log& log() override { return lines; }
    [[nodiscard]] Clock& clock() override { return time; }
    [[nodiscard]] Random& random() override { return chance; }
    [[nodiscard]] Database& database() override { return storage; }
    [[nodiscard]] DeliveryQueue& deliveries(std::string_view queue) override {
        return queues.find(queue);
    }
    [[nodiscard]] const std::vector<std::chrono::seconds>& retry_schedule() const override {
        return retries;
    }
    [[nodiscard]] const std::vector<NotificationKindSpec>& notification_kinds() const override {
        return kinds;
    }
    [[nodiscard]] HttpClient& http_client() override { return outbound; }
    [[nodiscard]] Secrets& secrets() override { return vault; }
    [[nodiscard]] EventLog& event_log() override { return history; }
    [[nodiscard]] const Catalog& catalog() const override { return declared; }
    [[nodiscard]] const std::string& public_url() const override { return url; }
    [[nodiscard]] bool stop_requested() const noexcept override { return stopping; }

private:
    [[nodiscard]] Service& find(std::string_view name) override {
        if (const auto lent = lent_.find(name); lent != lent_.end()) return *lent->second;
        const auto spec = specs_.find(name);
        if (spec == specs_.end())
            throw ConfigError{"service '" + std::string{name} +
                              "': nobody provides it; offer() one to the fake services"};
        made_.push_back(spec->second.make(*this));
        lent_.emplace(name, made_.back().get());
        return *made_.back();
    }

    std::map<std::string, Service*, std::less<>> lent_;
    std::map<std::string, ServiceSpec, std::less<>> specs_;
    std::vector<std::unique_ptr<Service>> made_;
};

}  // namespace radd::testing
