#pragma once

/// A process of its own for code that may take its process down.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

namespace radd::loader {

/// Is this the only thread of the process, but for `idle_threads` of which the caller knows that
/// they hold no lock? Else a child may wait for ever for a lock whose owner it does not have.
/// Waits a moment for threads that were joined and are still listed.
[[nodiscard]] bool may_fork(std::size_t idle_threads);

/// A child of this process that does one piece of work and ends. It has no input and no output but
/// the one it is given, leaves no core dump, is the head of a process group, and does not outlive
/// the thread that made it. [boot-thread]
class Child {
public:
    /// Runs `work` in it, with the descriptor whose other end line() reads. After may_fork().
    /// @throws Error with the system's reason if there is no process to be had.
    explicit Child(const std::function<void(int output)>& work);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();

    /// The next line that it writes; empty at the end of its output, when `until` has come, and
    /// when it writes more than a megabyte.
    [[nodiscard]] std::optional<std::string> line(std::chrono::steady_clock::time_point until);
    [[nodiscard]] bool is_late() const noexcept { return late_; }  ///< `until` had come.

    /// Ends it and everything in its group, and returns its status as waitpid(2) has it. If it has
    /// closed its output it gets a moment to end by itself. Safe twice.
    int end();

    [[nodiscard]] pid_t id() const noexcept { return process_; }

private:
    void await_end() const;

    pid_t process_ = -1;
    int input_ = -1;
    std::string buffer_;
    std::size_t received_ = 0;
    bool late_ = false;
    bool ended_ = false;
    std::optional<int> status_;
};

/// Writes `line` and a line break. For the child's side: what it cannot say it need not know.
void write_line(int output, const std::string& line) noexcept;

}  // namespace radd::loader
