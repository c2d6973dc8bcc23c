#pragma once

/// From the commit of an event to the moment somebody has it in his hands.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <tests/bench/raw.hpp>
#include <tests/bench/running.hpp>
#include <tests/support/wait.hpp>

namespace radd::bench {

/// Events that one Raw appends while readers see them. A reader is known by its place, an event by
/// the number that Raw gives it as its entity; both sides write to places of their own.
class Latencies {
public:
    using Time = std::chrono::steady_clock::time_point;

    Latencies(std::size_t readers, std::size_t events_max)
        : handled_(readers, std::vector<Time>(events_max + 1)) {
        committed_.reserve(events_max);
    }

    /// What the reader at `place` does with each event; those up to `after` are none of this.
    [[nodiscard]] Look look(std::size_t place, std::int64_t after = 0) {
        return [this, place, after](const Event& event) {
            if (event.id > after && event.type == "probe.happened")
                saw(place, std::stoul(event.entity_id));
        };
    }

    /// The reader at `place` has the event with this number now.
    void saw(std::size_t place, std::size_t number) {
        handled_.at(place).at(number) = std::chrono::steady_clock::now();
    }

    /// Appends one event every `interval` until `goes_on()` is false, each in its own transaction.
    /// `raw` has appended nothing before.
    template <typename Condition>
    void append(Raw& raw, std::chrono::microseconds interval, Condition goes_on) {
        const auto room = handled_.front().size() - 1;
        auto due = std::chrono::steady_clock::now();
        while (committed_.size() < room && goes_on()) {
            testing::let_pass(due - std::chrono::steady_clock::now());
            raw.emit_alone();
            committed_.push_back(std::chrono::steady_clock::now());
            due += interval;
        }
    }

    /// How many were appended.
    [[nodiscard]] std::size_t appended() const noexcept { return committed_.size(); }

    /// Events per second that the writer kept up with.
    [[nodiscard]] double rate() const {
        const std::chrono::duration<double> took = committed_.back() - committed_.front();
        return static_cast<double>(committed_.size() - 1) / took.count();
    }

    /// Milliseconds of each event for the reader at `place`, once it has them all. The first ones
    /// find a tail that has backed off, which is another question.
    [[nodiscard]] std::vector<double> ms(std::size_t place) const {
        constexpr std::size_t warm_up = 20;
        std::vector<double> all;
        for (std::size_t i = warm_up; i < committed_.size(); ++i) {
            const std::chrono::duration<double, std::milli> took =
                handled_.at(place)[i + 1] - committed_[i];
            all.push_back(std::max(0.0, took.count()));
        }
        return all;
    }

    /// Of all readers.
    [[nodiscard]] std::vector<double> ms() const {
        std::vector<double> all;
        for (std::size_t place = 0; place < handled_.size(); ++place) {
            const auto of_one = ms(place);
            all.insert(all.end(), of_one.begin(), of_one.end());
        }
        return all;
    }

private:
    std::vector<std::vector<Time>> handled_;
    std::vector<Time> committed_;
};

}  // namespace radd::bench
