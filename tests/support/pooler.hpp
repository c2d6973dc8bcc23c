#pragma once

/// A PgBouncer in transaction mode, before the shared cluster.

#include <filesystem>
#include <string>

#include <sys/types.h>
#include <tests/support/temp_dir.hpp>

namespace radd::testing {

/// Lends one of `servers` connections per transaction, to whoever comes. Listens on a socket in a
/// folder of its own; runs as the user that servers run as, and is stopped with this.
class Pooler {
public:
    /// Before the server of `url`, libpq keywords. @throws std::runtime_error with its log if it
    /// does not take connections.
    Pooler(const std::string& url, int servers);
    Pooler(const Pooler&) = delete;
    Pooler& operator=(const Pooler&) = delete;
    ~Pooler();

    [[nodiscard]] const std::string& url() const noexcept { return url_; }

private:
    void configure(const std::string& url, int servers) const;

    TempDir folder_;
    std::string url_;
    pid_t pid_ = 0;
};

}  // namespace radd::testing
