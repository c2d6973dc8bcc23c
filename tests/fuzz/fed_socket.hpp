#pragma once

/// A server that has said everything before it is asked: what an HTTP client makes of any bytes,
/// without a network.

#include <cstddef>
#include <string_view>

namespace fuzz {

/// While it lives, the next TCP socket that this thread opens over IPv4 is one end of a pair whose
/// other end has written `bytes` and nothing more, and connecting it to anywhere succeeds. For that
/// it stands before socket() and connect() of the C library. One at a time.
class FedSocket {
public:
    static constexpr std::size_t bytes_max = 64 * 1024;  ///< More are not said.

    explicit FedSocket(std::string_view bytes);
    FedSocket(const FedSocket&) = delete;
    FedSocket& operator=(const FedSocket&) = delete;
    ~FedSocket();

    /// Somebody has opened it.
    [[nodiscard]] bool is_taken() const noexcept;

private:
    int far_end_ = -1;
};

}  // namespace fuzz
