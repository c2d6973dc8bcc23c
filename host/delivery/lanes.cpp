#include <algorithm>

#include <host/delivery/lanes.hpp>

namespace radd::delivery {

void Lanes::begin(const std::string& lane) {
    Lane& one = lanes_[lane];
    ++one.in_flight;
    ++in_flight_;
    if (one.answers_well) return;
    ++one.begun_in_doubt;
    ++doubtful_in_flight_;
}

void Lanes::end(const std::string& lane, bool reachable, std::chrono::milliseconds took, Time now) {
    Lane& one = lanes_[lane];
    --one.in_flight;
    --in_flight_;
    if (one.begun_in_doubt > 0) {
        --one.begun_in_doubt;
        --doubtful_in_flight_;
    }
    one.answers_well = reachable && took <= slow_after;
    one.unreachable = reachable ? 0 : one.unreachable + 1;
    if (one.unreachable >= limits_.breaker_after) one.rests_until = now + limits_.breaker_for;
    if (lanes_.size() > lanes_max) forget_idle(now);
}

Lanes::Room Lanes::room(Kind kind, Time now) const {
    const std::int32_t reserved = limits_.concurrency / 4;
    const std::int32_t for_doubtful =
        std::max(0, limits_.concurrency - reserved - doubtful_in_flight_);
    Room room{.in_all = limits_.concurrency - in_flight_,
              .unknown_lane = kind == Kind::answering ? 0 : 1};
    if (kind != Kind::answering) room.in_all = std::min(room.in_all, for_doubtful);
    for (const auto& [name, lane] : lanes_) {
        const bool wanted = kind == Kind::all || (kind == Kind::answering) == lane.answers_well;
        const std::int32_t limit = lane.answers_well ? limits_.lane_concurrency : 1;
        const bool may = wanted && lane.rests_until <= now;
        room.lanes.push_back(name);
        room.may.push_back(may ? std::max(0, limit - lane.in_flight) : 0);
    }
    return room;
}

std::size_t Lanes::resting(Time now) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        lanes_, [&](const auto& lane) { return lane.second.rests_until > now; }));
}

void Lanes::forget_idle(Time now) {
    std::erase_if(lanes_, [&](const auto& lane) {
        return lane.second.in_flight == 0 && lane.second.rests_until <= now;
    });
}

}  // namespace radd::delivery
