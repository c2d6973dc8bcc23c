#include "chain.hpp"

#include <algorithm>
#include <charconv>

namespace automations {
namespace {

constexpr std::string_view prefix = "automations";

}  // namespace

std::string cause_of(const Chain& chain) {
    std::string cause{prefix};
    for (const auto id : chain) cause += "/" + std::to_string(id);
    return cause;
}

std::optional<Chain> chain_of(std::string_view cause) {
    if (!cause.starts_with(prefix)) return std::nullopt;
    cause.remove_prefix(prefix.size());
    Chain chain;
    while (!cause.empty()) {
        std::int64_t id = 0;
        const auto* end = cause.data() + cause.size();
        const auto [stop, error] = std::from_chars(cause.data() + 1, end, id);
        if (cause.front() != '/' || error != std::errc{}) return std::nullopt;
        chain.push_back(id);
        cause = std::string_view{stop, static_cast<std::size_t>(end - stop)};
    }
    if (chain.empty()) return std::nullopt;
    return chain;
}

std::string stopped_by(const radd::Event& event, std::int64_t rule_id, bool chains) {
    if (event.silent) return "it is silent";
    if (!event.automated_cause) {
        if (event.actor_id == radd::system_actor) return "the system did it";
        return {};
    }
    const auto chain = chain_of(*event.automated_cause);
    if (!chain) return "an automation did it";
    if (std::ranges::find(*chain, rule_id) != chain->end())
        return "this rule had a part in it: " + *event.automated_cause;
    if (!chains) return "rule " + std::to_string(chain->back()) + " did it";
    if (chain->size() >= depth_max)
        return std::to_string(chain->size()) +
               " rules led to it, which is as many as may: " + *event.automated_cause;
    return {};
}

Chain chain_after(const radd::Event* event, std::int64_t rule_id) {
    Chain chain;
    if (event != nullptr && event->automated_cause)
        chain = chain_of(*event->automated_cause).value_or(Chain{});
    chain.push_back(rule_id);
    return chain;
}

}  // namespace automations
