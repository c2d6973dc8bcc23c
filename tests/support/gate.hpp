#pragma once

/// A place where a test holds what it has under way.

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <doctest/doctest.h>

#include <tests/support/wait.hpp>

namespace radd::testing {

/// Holds whoever passes until it is opened. Its end opens it, and waits for who is under it. Who
/// was held for `patience` goes on, so that a test which never opens it ends, and fails.
/// [any-thread]
class Gate {
public:
    static constexpr std::chrono::seconds patience{60};

    Gate() = default;
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    ~Gate() {
        open();
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return waiting_ == 0; });
        CHECK_MESSAGE(gone_on_ == 0, gone_on_ << " went on because nobody opened the gate");
    }

    void pass() {
        std::unique_lock lock{mutex_};
        ++waiting_;
        was_reached_ = true;
        if (!changed_.wait_for(lock, patience, [&] { return open_; })) ++gone_on_;
        --waiting_;
        changed_.notify_all();
    }
    void open() {
        const std::scoped_lock lock{mutex_};
        open_ = true;
        changed_.notify_all();
    }

    [[nodiscard]] int waiting() const {
        const std::scoped_lock lock{mutex_};
        return waiting_;
    }
    /// Waits until somebody has come, whether or not they are still here.
    [[nodiscard]] bool reached() const {
        return eventually([&] {
            const std::scoped_lock lock{mutex_};
            return was_reached_;
        });
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    int waiting_ = 0;
    int gone_on_ = 0;
    bool was_reached_ = false;
    bool open_ = false;
};

}  // namespace radd::testing
