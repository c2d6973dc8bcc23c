#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string>

#include <host/db/failpoint.hpp>

namespace radd::db {
namespace {

/// What the environment asks for.
struct Armed {
    int signal = SIGKILL;
    std::string point{};  ///< Empty: nothing.
    std::string subject{};
    long nth = 1;
};

Armed parse(std::string_view text) {
    Armed armed;
    if (const auto space = text.find(' '); space != std::string_view::npos) {
        if (text.substr(0, space) == "stop") armed.signal = SIGSTOP;
        text.remove_prefix(space + 1);
    }
    if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
        const auto number = text.substr(colon + 1);
        std::from_chars(number.data(), number.data() + number.size(), armed.nth);
        text = text.substr(0, colon);
    }
    const auto at = text.find('@');
    armed.point = text.substr(0, at);
    if (at != std::string_view::npos) armed.subject = text.substr(at + 1);
    return armed;
}

Armed of_environment() {
    // Read once, before anybody could change it.
    const char* const text = std::getenv("RADD_FAILPOINT");  // NOLINT(concurrency-mt-unsafe)
    return text == nullptr ? Armed{} : parse(text);
}

const Armed armed = of_environment();
std::atomic<long> passages{0};

}  // namespace

void pass_failpoint(std::string_view point, std::string_view subject) noexcept {
    if (armed.point.empty() || armed.point != point) return;
    if (!armed.subject.empty() && armed.subject != subject) return;
    if (++passages == armed.nth) std::raise(armed.signal);
}

}  // namespace radd::db
