#include <utility>

#include <host/delivery/deliveries.hpp>

namespace radd::delivery {

Deliveries::Deliveries(RunnerParts parts, bool run_workers, std::vector<QueueSetup> setups)
    : run_workers_{run_workers} {
    for (QueueSetup& setup : setups) {
        names_.push_back(setup.spec.name);
        runners_.push_back(std::make_unique<QueueRunner>(std::move(setup), parts));
    }
}

Deliveries::~Deliveries() = default;

void Deliveries::start() {
    if (!run_workers_) return;
    for (const auto& runner : runners_) runner->start();
}

void Deliveries::request_stop() {
    for (const auto& runner : runners_) runner->request_stop();
}

std::vector<std::string> Deliveries::stop(std::chrono::steady_clock::time_point deadline) {
    request_stop();
    std::vector<std::string> left;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
        if (runners_[i]->stop(deadline) > 0) left.push_back("deliveries of " + names_[i]);
    }
    return left;
}

void Deliveries::cut_grace() noexcept {
    for (const auto& runner : runners_) runner->cut_grace();
}

std::vector<QueueTotals> Deliveries::totals() const {
    std::vector<QueueTotals> list;
    for (const auto& runner : runners_) list.push_back(runner->totals());
    return list;
}

}  // namespace radd::delivery
