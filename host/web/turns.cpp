#include <utility>

#include <host/web/turns.hpp>

namespace radd::web {

Turns::Turns(std::size_t running_max, std::size_t waiting_max)
    : running_max_{running_max}, waiting_max_{waiting_max} {}

Turn Turns::take(const std::string& caller, const std::function<void()>& job) {
    const std::scoped_lock lock{mutex_};
    if (stopped_) return Turn::never;
    Caller& of_theirs = callers_[caller];
    if (of_theirs.running < running_max_) {
        ++of_theirs.running;
        return Turn::now;
    }
    if (of_theirs.waiting.size() >= waiting_max_) return Turn::never;
    of_theirs.waiting.push_back(job);
    return Turn::later;
}

std::function<void()> Turns::give_back(const std::string& caller) {
    const std::scoped_lock lock{mutex_};
    const auto found = callers_.find(caller);
    if (found == callers_.end()) return {};  // Stopped meanwhile.
    Caller& of_theirs = found->second;
    if (!of_theirs.waiting.empty()) {
        auto next = std::move(of_theirs.waiting.front());
        of_theirs.waiting.pop_front();
        return next;  // It takes over the place.
    }
    if (--of_theirs.running == 0) callers_.erase(found);
    return {};
}

void Turns::stop() {
    std::map<std::string, Caller> dropped;  // What the jobs hold goes outside the lock.
    const std::scoped_lock lock{mutex_};
    stopped_ = true;
    dropped.swap(callers_);
}

}  // namespace radd::web
