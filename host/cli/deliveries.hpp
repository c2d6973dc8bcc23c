#pragma once

/// `radd deliveries …`: what must arrive, and what an operator does about what did not.

#include <cstdint>
#include <optional>
#include <string>

#include <host/cli/commands.hpp>

namespace radd::cli {

struct DeliveryListOptions {
    std::optional<std::string> queue;
    std::optional<std::string> lane;
    std::optional<std::string> state;
    std::optional<std::int64_t> event;
    std::optional<std::int64_t> before;
    std::int64_t limit = 50;
};

int deliveries_queues(Invocation& invocation);
int deliveries_lanes(Invocation& invocation, const std::string& queue);
int deliveries_list(Invocation& invocation, const DeliveryListOptions& options);
int deliveries_show(Invocation& invocation, std::int64_t id);

struct DeliveryReplayOptions {
    std::optional<std::int64_t> id;    ///< This one; without it the dead letters below.
    std::optional<std::string> queue;  ///< Without it: of all queues.
    std::optional<std::string> lane;
    std::optional<std::int64_t> first_id;
    std::optional<std::int64_t> last_id;
    bool confirmed = false;  ///< Without it dead letters are only counted.
};
int deliveries_replay(Invocation& invocation, const DeliveryReplayOptions& options);

struct DeliveryCancelOptions {
    std::optional<std::int64_t> id;  ///< This one; without it all that wait in the lane.
    std::string queue;
    std::string lane;
    bool confirmed = false;
};
int deliveries_cancel(Invocation& invocation, const DeliveryCancelOptions& options);

}  // namespace radd::cli
