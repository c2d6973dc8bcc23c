#pragma once

/// Marks on every event that a thread emits inside a block, without any service in between
/// knowing about them.
///
/// A scope belongs to its thread: work handed to another thread does not inherit it. The state
/// lives in libradd_sdk.so, so that host and plugins see the same one.

#include <optional>
#include <string>

#include <radd/export.hpp>

namespace radd {

/// Events of a bulk import: `silent`, so that nobody outside is told about them.
///
///     radd::Quiet quiet{options.quiet};
///
/// Nested scopes restore on exit. `Quiet{false}` is a no-op: it leaves an enclosing scope as it
/// is, so a person's toggle can be passed straight through.
class [[nodiscard]] RADD_EXPORT Quiet {
public:
    explicit Quiet(bool enabled = true) noexcept;
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    ~Quiet();

    /// Whether the calling thread is inside one.
    [[nodiscard]] static bool active() noexcept;

private:
    bool before_;
};

/// Events caused by an automation; `cause` says which rule and how deep in a chain.
class [[nodiscard]] RADD_EXPORT Automated {
public:
    explicit Automated(std::string cause);
    Automated(const Automated&) = delete;
    Automated& operator=(const Automated&) = delete;
    ~Automated();

    /// The innermost cause on the calling thread, if any.
    [[nodiscard]] static const std::optional<std::string>& cause() noexcept;

private:
    std::optional<std::string> before_;
};

}  // namespace radd
