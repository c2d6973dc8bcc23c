// Receivers of webhooks that are reached, or answer, in another way than most.

#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/webhooks_bench.hpp>

namespace radd::testing {
namespace {

/// A container may have been given none.
bool has_ipv6_loopback() {
    std::ifstream addresses{"/proc/net/if_inet6"};
    for (std::string line; std::getline(addresses, line);) {
        if (line.starts_with(std::string(31, '0') + "1 ")) return true;
    }
    return false;
}

TEST_SUITE("webhook") {
    // P29
    TEST_CASE_FIXTURE(WebhookBench,
                      "an IPv6 address that is allowed is delivered to by its literal") {
        if (!has_ipv6_loopback()) {
            MESSAGE("nothing is tested: there is no ::1 here");
            return;
        }
        delivery::OutboundClient ours{{"::1/128"}, "radd/test"};
        lent.client = &ours;
        HttpReceiver remote{{}, {.ipv6 = true}};
        REQUIRE(remote.url() == "http://[::1]:" + std::to_string(remote.port()) + "/hook");
        endpoint(remote.url());
        happen();

        CHECK(settle(*hook_runner()) == 1);

        CHECK(state() == "delivered after 1");
        REQUIRE(remote.count() == 1);
        CHECK(remote.received()[0].headers.at("host") == "[::1]:" + std::to_string(remote.port()));
        lent.client = &client;  // Which allows 127.0.0.0/8 alone.
        CHECK_THROWS_AS(endpoint(remote.url()), AddressNotAllowed);
        happen();
        CHECK(settle(*hook_runner()) == 1);
        CHECK(remote.connections() == 1);
    }

    // P32
    TEST_CASE_FIXTURE(WebhookBench,
                      "who answers before the request is there costs one attempt and nobody else") {
        HttpReceiver hasty{[](const Received&) { return HttpReceiver::answer_of(413); },
                           {.interrupts = true}};
        HttpReceiver other;
        endpoint(hasty.url());
        endpoint(other.url());
        happen(1, JsonText{R"({"text":")" + std::string(200'000, 'x') + R"("})"});

        CHECK(settle(*hook_runner()) == 2);

        REQUIRE(hasty.count() == 1);
        const auto got = hasty.received()[0];
        CHECK(got.body.size() < std::stoul(got.headers.at("content-length")));
        CHECK(hasty.connections() == 1);
        CHECK(state("lane = '1'") == "pending after 1");
        CHECK(state("lane = '2'") == "delivered after 1");
        CHECK(other.received()[0].body.size() > 200'000);
    }
}

}  // namespace
}  // namespace radd::testing
