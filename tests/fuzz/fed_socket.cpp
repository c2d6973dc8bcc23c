#include <array>
#include <utility>

#include <dlfcn.h>
#include <sys/socket.h>
#include <tests/fuzz/fed_socket.hpp>
#include <tests/fuzz/invariant.hpp>
#include <unistd.h>

namespace {

thread_local int waiting = -1;  // The end that the next socket() is given.
thread_local int taken = -1;

template <typename Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int socket(int family, int type, int protocol) noexcept {
    static auto* const open = real<int(int, int, int)>("socket");
    if (family != AF_INET || waiting == -1) return open(family, type, protocol);
    return taken = std::exchange(waiting, -1);
}

extern "C" [[gnu::visibility("default")]] int connect(int descriptor,
                                                      const sockaddr* address,
                                                      socklen_t size) {
    static auto* const reach = real<int(int, const sockaddr*, socklen_t)>("connect");
    return descriptor == taken ? 0 : reach(descriptor, address, size);
}

namespace fuzz {

FedSocket::FedSocket(std::string_view bytes) {
    std::array<int, 2> ends{};
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0,
            "a pair of sockets is to be had");
    waiting = ends[0];
    far_end_ = ends[1];
    bytes = bytes.substr(0, bytes_max);
    require(send(far_end_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()),
            "a socket holds what fits");
    shutdown(far_end_, SHUT_WR);
}

FedSocket::~FedSocket() {
    // Whoever has taken it has closed it.
    if (waiting != -1) close(std::exchange(waiting, -1));
    taken = -1;
    close(far_end_);
}

bool FedSocket::is_taken() const noexcept {
    return taken != -1;
}

}  // namespace fuzz
