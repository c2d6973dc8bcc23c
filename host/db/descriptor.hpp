#pragma once

/// An open file, closed with this.

#include <unistd.h>

namespace radd::db {

class Descriptor {
public:
    explicit Descriptor(int fd) noexcept : fd_{fd} {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) close(fd_);
    }
    [[nodiscard]] int get() const noexcept { return fd_; }  ///< Negative if it was not opened.

private:
    int fd_;
};

}  // namespace radd::db
