#pragma once

/// Real workers on a real tail, with consumers that do nothing.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <host/consumers/supervisor.hpp>
#include <tests/bench/require_soon.hpp>
#include <tests/pg/outbox_bench.hpp>

namespace radd::bench {

class AnyRandom final : public Random {
public:
    [[nodiscard]] std::uint64_t bits() override {
        const std::scoped_lock lock{mutex_};
        return engine_();
    }

private:
    std::mutex mutex_;
    std::mt19937_64 engine_{1};
};

using Look = std::function<void(const Event&)>;

/// Sees every event and leaves nothing behind, so no batch has an effect.
class Idler final : public ProjectionConsumer {
public:
    explicit Idler(Look look) : look_{std::move(look)} {}
    void project(Transaction& /*tx*/, const Event& event) override {
        if (look_) look_(event);
        seen.fetch_add(1, std::memory_order_relaxed);
    }
    std::atomic<std::int64_t> seen{0};

private:
    Look look_;
};

/// One of Running's consumers, probe.<name>.
struct Reader {
    std::string name;
    FirstStart first_start = FirstStart::beginning;
    Look look{};
};

/// `count` that do the same, from the first event on.
inline std::vector<Reader> alike(const std::string& name, int count, const Look& look = {}) {
    std::vector<Reader> readers;
    for (int i = 0; i < count; ++i)
        readers.push_back({.name = name + "_" + std::to_string(i), .look = look});
    return readers;
}

/// Idlers, running until this goes.
class Running {
public:
    Running(testing::OutboxBench& bench, const std::vector<Reader>& readers)
        : tail_{bench.started_tail()} {
        std::vector<consumers::ConsumerSetup> setups;
        for (const Reader& reader : readers) {
            idlers_.push_back(std::make_unique<Idler>(reader.look));
            setups.push_back({.declaration = {.name = "probe." + reader.name,
                                              .plugin = "probe",
                                              .plugin_version = "1.0.0",
                                              .first_start = reader.first_start},
                              .consumer = idlers_.back().get()});
        }
        workers_ = std::make_unique<consumers::Workers>(
            consumers::WorkersParts{
                bench.pool, *tail_, bench.catalog, {}, bench.clock, random_, bench.log},
            consumers::WorkersOptions{},
            std::move(setups),
            std::vector<consumers::TaskSetup>{});
        workers_->start();
        require_soon("consumers owned", [&] { return workers_->owned_count() == readers.size(); });
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
        workers_->stop(std::chrono::seconds{5});
        tail_->stop();
    }

    [[nodiscard]] std::int64_t seen() const {
        std::int64_t sum = 0;
        for (const auto& one : idlers_) sum += one->seen;
        return sum;
    }
    [[nodiscard]] outbox::Tail& tail() { return *tail_; }

private:
    AnyRandom random_;
    std::unique_ptr<outbox::Tail> tail_;
    std::vector<std::unique_ptr<Idler>> idlers_;
    std::unique_ptr<consumers::Workers> workers_;
};

}  // namespace radd::bench
