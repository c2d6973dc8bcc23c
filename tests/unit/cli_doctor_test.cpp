#include <doctest/doctest.h>

#include <host/cli/doctor.hpp>

using namespace radd::cli;
using namespace std::chrono_literals;
using radd::consumers::ConsumerStatus;

namespace {

Verdict of(const Finding& finding) {
    // Who is told that something is wrong is told what to do, and nobody else is.
    CHECK(finding.remedy.empty() == (finding.verdict == Verdict::ok));
    CHECK_FALSE(finding.found.empty());
    return finding.verdict;
}

ConsumerStatus status(std::string state, std::int64_t skipped = 0) {
    return {.name = "csat.sender",
            .plugin = "csat",
            .last_event_id = 1,
            .stream_head = 1,
            .lag = 0,
            .seconds_since_update = 0,
            .state = std::move(state),
            .owner = {},
            .waiting_on = {},
            .skipped = skipped,
            .oldest_age_s = {},
            .overdue_event_id = {},
            .paused_until = {},
            .pause_reason = {},
            .handled_count = 0};
}

}  // namespace

TEST_SUITE("doctor") {
    TEST_CASE("clocks may differ by a second either way") {
        CHECK(of(judge_clocks(0ms)) == Verdict::ok);
        CHECK(of(judge_clocks(1000ms)) == Verdict::ok);
        CHECK(of(judge_clocks(-1000ms)) == Verdict::ok);
        CHECK(of(judge_clocks(1001ms)) == Verdict::warn);
        CHECK(of(judge_clocks(-1001ms)) == Verdict::warn);
        CHECK(of(judge_clocks(60s)) == Verdict::warn);
        CHECK(of(judge_clocks(60001ms)) == Verdict::fail);
        CHECK(of(judge_clocks(-60001ms)) == Verdict::fail);
        CHECK(judge_clocks(-1500ms).found == "the database's is 1500 ms behind this machine's");
    }

    TEST_CASE("a disk has room or is low or is full") {
        CHECK(of(judge_disk("/x", disk_bytes_low)) == Verdict::ok);
        CHECK(of(judge_disk("/x", disk_bytes_low - 1)) == Verdict::warn);
        CHECK(of(judge_disk("/x", disk_bytes_min)) == Verdict::warn);
        CHECK(of(judge_disk("/x", disk_bytes_min - 1)) == Verdict::fail);
    }

    TEST_CASE("a process may open what its settings let it need") {
        radd::config::HostSettings settings{};
        settings.http_connections_max = 1000;
        settings.database_pool_size = 16;
        CHECK(of(judge_descriptors(1216, settings)) == Verdict::ok);
        const auto low = judge_descriptors(1215, settings);
        CHECK(of(low) == Verdict::warn);
        CHECK(low.remedy.find("LimitNOFILE=1216") != std::string::npos);
    }

    TEST_CASE("a server takes the connections of this host") {
        CHECK(of(judge_connections(22, 16)) == Verdict::ok);
        CHECK(of(judge_connections(21, 16)) == Verdict::fail);
    }

    TEST_CASE("settings of the server that lose commits are told") {
        CHECK(of(judge_server_setting("fsync", "on")) == Verdict::ok);
        CHECK(of(judge_server_setting("fsync", "off")) == Verdict::fail);
        CHECK(of(judge_server_setting("full_page_writes", "off")) == Verdict::fail);
        CHECK(of(judge_server_setting("synchronous_commit", "off")) == Verdict::warn);
        CHECK(of(judge_server_setting("autovacuum", "off")) == Verdict::warn);
        CHECK(of(judge_server_setting("idle_in_transaction_session_timeout", "0")) ==
              Verdict::warn);
        CHECK(of(judge_server_setting("idle_in_transaction_session_timeout", "1min")) ==
              Verdict::ok);
    }

    TEST_CASE("every state of a consumer is judged") {
        for (const auto state : radd::consumers::consumer_states) {
            const auto verdict = of(judge_consumer(status(std::string{state})));
            const bool is_fine = state == "ok" || state == "catching_up" || state == "retired";
            CHECK_MESSAGE((verdict == Verdict::ok) == is_fine, state);
        }
        CHECK(of(judge_consumer(status("stalled"))) == Verdict::fail);
        CHECK(of(judge_consumer(status("beyond_head"))) == Verdict::fail);
        CHECK(of(judge_consumer(status("ok", 2))) == Verdict::warn);
        CHECK(judge_consumer(status("paused")).remedy == "`radd consumers resume csat.sender`");
    }

    TEST_CASE("retention that cannot go on names who holds it") {
        CHECK(of(judge_retention(0, {})) == Verdict::ok);
        CHECK(of(judge_retention(30, {.first_kept = 500})) == Verdict::ok);
        CHECK(judge_retention(30, {.first_kept = 500}).found == "events below 500 are gone");
        CHECK(of(judge_retention(30, {.may_drop = false})) == Verdict::warn);

        const auto held = judge_retention(
            30,
            {.old_below = 500,
             .held_by = {
                 {.name = "csat.sender", .plugin = "csat", .cursor = 7, .state = "paused"}}});
        CHECK(of(held) == Verdict::warn);
        CHECK(held.found.find("held by csat.sender (paused, at 7)") != std::string::npos);
        CHECK(held.remedy.find("`radd consumers retire csat.sender`") != std::string::npos);
    }
}
