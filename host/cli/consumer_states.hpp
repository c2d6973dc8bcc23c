#pragma once

/// What a consumer's state means and what to do, in the words of README.md.

#include <array>
#include <string_view>

namespace radd::cli {

struct ConsumerStateText {
    std::string_view state;
    std::string_view means;
    std::string_view remedy;  ///< NAME is the consumer's. Empty: there is nothing to do.
};

inline constexpr std::array consumer_state_texts{
    ConsumerStateText{"ok", "nothing between cursor and head", ""},
    ConsumerStateText{"catching_up", "behind, and moving", ""},
    ConsumerStateText{"stalled",
                      "behind, and not moving for 120 s, or a handler is over its deadline",
                      "look at its log; `radd consumers list` names the event"},
    ConsumerStateText{"waiting",
                      "an application's open transaction holds the stream",
                      "end it; set `idle_in_transaction_session_timeout`"},
    ConsumerStateText{"paused", "somebody decided so", "`radd consumers resume NAME`"},
    ConsumerStateText{"retired", "somebody decided so", "`radd consumers resume NAME`"},
    ConsumerStateText{"unowned", "no host runs it", "start one with workers"},
    ConsumerStateText{"beyond_head",
                      "the cursor lies beyond the stream: an older backup was restored",
                      "`radd consumers seek NAME head`"},
    ConsumerStateText{
        "not_loaded", "no loaded plugin declares it", "enable its plugin, or retire it"},
};

}  // namespace radd::cli
