#include <host/verify/ledger.hpp>

namespace radd::verify {

void Ledger::add(const Run& run) {
    if (!walking_) next_ = marks_.begin();
    walking_ = true;
    for (; next_ != marks_.end() && next_->first < run.first; ++next_) next_->second.sum = sum_;
    at_ = run.first;
    for (; next_ != marks_.end() && next_->first <= run.last; ++next_) {
        sum_up_to(next_->first);
        next_->second = {.sum = sum_, .is_event = true};
    }
    sum_up_to(run.last);
}

void Ledger::sum_up_to(std::int64_t id) {
    for (; at_ <= id; ++at_) sum_.add(at_);
}

void Ledger::finish() {
    if (!walking_) next_ = marks_.begin();
    for (; next_ != marks_.end(); ++next_) next_->second.sum = sum_;
}

consumers::Receipt Ledger::between(std::int64_t after, std::int64_t until) const {
    const auto& from = marks_.at(after).sum;
    const auto& to = marks_.at(until).sum;
    return {.count = to.count - from.count, .hash = to.hash - from.hash};
}

bool Ledger::has(std::int64_t place) const {
    return marks_.at(place).is_event;
}

consumers::Receipt receipt_of(std::span<const Run> runs) {
    consumers::Receipt sum;
    for (const Run& run : runs) {
        for (auto id = run.first; id <= run.last; ++id) sum.add(id);
    }
    return sum;
}

}  // namespace radd::verify
