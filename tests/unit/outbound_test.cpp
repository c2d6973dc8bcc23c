#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <thread>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <host/delivery/key_ring.hpp>
#include <host/delivery/outbound.hpp>
#include <netdb.h>
#include <radd/testing/services.hpp>
#include <sys/stat.h>
#include <tests/support/gate.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/temp_dir.hpp>
#include <tests/support/wait.hpp>

namespace {

/// Whether the name server answers; while it does not, it keeps whoever asks for silent.example.
std::atomic<bool> name_server_answers{false};
std::atomic<int> lookups_hanging{0};
std::atomic<int> lookups_given_up{0};  ///< Though it has not answered: nobody was kept, then.

}  // namespace

// libcurl's own calls come here: this stands before the one of the C library.
extern "C" [[gnu::visibility("default")]] int getaddrinfo(const char* node,
                                                          const char* service,
                                                          const addrinfo* hints,
                                                          addrinfo** result) {
    using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
    if (node != nullptr && std::strcmp(node, "silent.example") == 0) {
        ++lookups_hanging;
        if (!radd::testing::eventually([] { return name_server_answers.load(); },
                                       std::chrono::seconds{30}))
            ++lookups_given_up;
        --lookups_hanging;
        return EAI_AGAIN;
    }
    const bool rebinds = node != nullptr && std::strcmp(node, "rebinds.example") == 0;
    return real(rebinds ? "127.0.0.1" : node, service, hints, result);
}

namespace radd::delivery {
namespace {

using namespace std::chrono_literals;
using testing::HttpReceiver;

std::filesystem::path written(const testing::TempDir& dir,
                              const std::string& name,
                              const std::string& text) {
    const auto file = dir.path() / name;
    std::ofstream{file} << text;
    return file;
}

const std::vector<std::string> loopback{"127.0.0.0/8"};

std::string refusal(const HttpClient& client, const std::string& url) {
    try {
        client.vet_url(url);
    } catch (const AddressNotAllowed&) {
        return "address";
    } catch (const InvalidInput& error) {
        return error.field();
    }
    return "";
}

TEST_SUITE("outbound guard") {
    TEST_CASE("addresses that are not public are refused in every spelling") {
        OutboundClient client{{}, "test"};
        for (const char* host : {"[::1]",
                                 "[::]",
                                 "[::ffff:127.0.0.1]",
                                 "[::ffff:169.254.169.254]",
                                 "[::127.0.0.1]",
                                 "[64:ff9b::7f00:1]",
                                 "[64:ff9b:1::1]",
                                 "[2002:7f00:1::]",
                                 "[fe80::1%25eth0]",
                                 "[fe80::1]",
                                 "[fd12::1]",
                                 "[ff02::1]",
                                 "[2001:db8::1]",
                                 "169.254.169.254",
                                 "0.0.0.0",
                                 "10.0.0.1",
                                 "172.31.255.255",
                                 "192.168.1.1",
                                 "100.64.0.1",
                                 "127.0.0.1",
                                 "2130706433",
                                 "0x7f.1",
                                 "017700000001",
                                 "224.0.0.1",
                                 "255.255.255.255",
                                 "localhost",
                                 "LOCALHOST.",
                                 "a.localhost"}) {
            CAPTURE(host);
            CHECK(refusal(client, std::string{"http://"} + host + "/hook") == "address");
            CHECK_THROWS_AS(static_cast<void>(client.call({.url = std::string{"http://"} + host})),
                            AddressNotAllowed);
        }
    }

    TEST_CASE("what is no URL for us is refused and public ones are not") {
        OutboundClient client{{}, "test"};
        for (const char* url : {"http://user:pw@10.0.0.1/",
                                "https://user@example.com/",
                                "file:///etc/passwd",
                                "gopher://example.com/",
                                "ftp://example.com/",
                                "https://",
                                "https:/example.com/services//secret",
                                "https:///example.com/",
                                "example",
                                "",
                                "https://exa mple.com/",
                                "https://example.com/\r\nX: y"}) {
            CAPTURE(url);
            CHECK(refusal(client, url) == "url");
        }
        for (const char* url : {"https://[2606:4700::1111]:8443/h",
                                "https://example.com/a?b=c",
                                "http://8.8.8.8/",
                                "https://[64:ff9b::808:808]/",
                                "http://172.32.0.1/",
                                "http://100.128.0.1/"}) {
            CAPTURE(url);
            CHECK(refusal(client, url).empty());
        }
        const std::string start = "https://example.com/";
        const auto long_url = start + std::string(outbound_url_bytes_max - start.size(), 'x');
        CHECK(refusal(client, start + std::string(4000, 'x')).empty());
        CHECK(refusal(client, long_url).empty());
        CHECK(refusal(client, long_url + "x") == "url");
    }

    TEST_CASE("a list lifts the guard for its addresses and no others") {
        OutboundClient client{loopback, "test"};
        CHECK(refusal(client, "http://127.0.0.1/").empty());
        CHECK(refusal(client, "http://localhost/").empty());
        for (const char* host : {"[::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "10.0.0.1"})
            CHECK(refusal(client, std::string{"http://"} + host + "/") == "address");
        CHECK_THROWS_AS(OutboundClient({"127.0.0.1/33"}, "test"), ConfigError);
    }

    TEST_CASE("a name that resolves to a private address is refused with nothing sent") {
        HttpReceiver receiver;
        const HttpCall call{.url =
                                "http://rebinds.example:" + std::to_string(receiver.port()) + "/"};
        OutboundClient guarded{{}, "test"};
        CHECK(refusal(guarded, call.url).empty());
        CHECK_THROWS_AS(static_cast<void>(guarded.call(call)), AddressNotAllowed);
        CHECK(receiver.connections() == 0);

        OutboundClient allowed{loopback, "test"};
        CHECK(allowed.call(call).status == 204);
        CHECK(receiver.received()[0].headers.at("host") ==
              "rebinds.example:" + std::to_string(receiver.port()));
    }

    TEST_CASE("a proxy of the environment is not asked") {
        HttpReceiver proxy;
        HttpReceiver receiver;
        const auto proxy_url = proxy.url("");
        for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
            setenv(name, proxy_url.c_str(), 1);
        OutboundClient client{loopback, "test"};
        CHECK(client.call({.url = receiver.url()}).status == 204);
        for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
            unsetenv(name);
        CHECK(proxy.connections() == 0);
    }
}

TEST_SUITE("outbound call") {
    TEST_CASE("a body goes out byte for byte and an answer comes back within its limit") {
        HttpReceiver receiver{[](const testing::Received&) {
            return HttpReceiver::answer_of(
                200, "Retry-After: 10\r\nRetry-After:  20 \r\n", std::string(1000, 'y'));
        }};
        OutboundClient client{loopback, "radd/1"};
        const std::string body = "{\"b\":\"\xc3\xa9\xe2\x80\xa8</script>\\/\",\"a\":1}";
        const auto answer = client.call({.url = receiver.url("/h?q=1"),
                                         .headers = {{"Content-Type", "application/json"}},
                                         .body = body,
                                         .answer_bytes_max = 1000});
        CHECK(answer.status == 200);
        CHECK(answer.body.size() == 1000);
        CHECK_FALSE(answer.body_cut);
        CHECK(answer.address == "127.0.0.1");
        CHECK(answer.header("retry-after") == "10");
        CHECK(std::ranges::count(answer.headers, HttpField{"retry-after", "20"}) == 1);
        const auto sent = receiver.received()[0];
        CHECK(sent.request_line == "POST /h?q=1 HTTP/1.1");
        CHECK(sent.body == body);
        CHECK(sent.headers.at("user-agent") == "radd/1");
        CHECK_FALSE(sent.headers.contains("expect"));

        const auto cut = client.call({.url = receiver.url(), .answer_bytes_max = 999});
        CHECK(cut.status == 200);
        CHECK(cut.body.size() == 999);
        CHECK(cut.body_cut);
    }

    TEST_CASE("a redirect is an answer and leads nowhere") {
        HttpReceiver other;
        for (const int status : {301, 302, 303, 307, 308}) {
            HttpReceiver receiver{[&](const testing::Received&) {
                return HttpReceiver::answer_of(status, "Location: " + other.url() + "\r\n");
            }};
            OutboundClient client{loopback, "test"};
            CHECK(client.call({.url = receiver.url()}).status == status);
            CHECK(receiver.count() == 1);
        }
        CHECK(other.connections() == 0);
    }

    TEST_CASE("who hangs up or answers with nonsense or not at all is unavailable") {
        OutboundClient client{loopback, "test"};
        for (const std::string answer :
             {"", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "x"}) {
            CAPTURE(answer);
            HttpReceiver receiver{[&](const testing::Received&) { return answer; }};
            CHECK_THROWS_AS(static_cast<void>(client.call({.url = receiver.url()})), Unavailable);
        }
        std::uint16_t free_port = 0;
        {
            HttpReceiver gone;
            free_port = gone.port();
        }
        const auto closed = "http://127.0.0.1:" + std::to_string(free_port) + "/secret-path";
        try {
            static_cast<void>(client.call({.url = closed}));
            FAIL("it answered");
        } catch (const Unavailable& failure) {
            CHECK(std::string{failure.what()}.starts_with("127.0.0.1: "));
            CHECK(std::string{failure.what()}.find("secret-path") == std::string::npos);
        }
        CHECK_THROWS_AS(static_cast<void>(
                            client.call({.url = "https://127.0.0.1:" + std::to_string(free_port)})),
                        Unavailable);
    }

    TEST_CASE("a receiver that never answers is given up in time") {
        testing::Gate gate;
        HttpReceiver receiver{[&](const testing::Received&) {
            gate.pass();
            return HttpReceiver::answer_of(204);
        }};
        OutboundClient client{loopback, "test"};
        const auto began = std::chrono::steady_clock::now();
        CHECK_THROWS_AS(static_cast<void>(client.call({.url = receiver.url(), .timeout = 200ms})),
                        Unavailable);
        CHECK(std::chrono::steady_clock::now() - began < 5s);
        gate.open();
    }

    TEST_CASE("a name server that never answers fails in time and delays nobody else") {
        HttpReceiver receiver;
        OutboundClient client{loopback, "test"};
        std::vector<std::future<void>> hanging;
        const auto began = std::chrono::steady_clock::now();
        for (int i = 0; i < 20; ++i) {
            hanging.push_back(std::async(std::launch::async, [&] {
                CHECK_THROWS_AS(static_cast<void>(client.call(
                                    {.url = "http://silent.example/", .timeout = 1500ms})),
                                Unavailable);
            }));
        }
        CHECK(testing::eventually([] { return lookups_hanging > 0; }));
        CHECK(client.call({.url = receiver.url(), .timeout = 10s}).status == 204);
        CHECK(lookups_hanging > 0);
        for (auto& one : hanging) one.get();
        CHECK(std::chrono::steady_clock::now() - began < 15s);
        name_server_answers = true;
        CHECK(testing::eventually([] { return lookups_hanging == 0; }));
        CHECK(lookups_given_up == 0);
    }

    TEST_CASE("no header is smuggled in and too many are refused") {
        OutboundClient client{loopback, "test"};
        HttpReceiver receiver;
        const auto with = [&](std::vector<HttpField> headers) {
            return client.call({.url = receiver.url(), .headers = std::move(headers)});
        };
        CHECK_THROWS_AS(with({{"X-A", "b\r\nX-C: d"}}), InvalidInput);
        CHECK_THROWS_AS(with({{"X: y", "b"}}), InvalidInput);
        CHECK_THROWS_AS(with(std::vector<HttpField>(outbound_headers_max + 1, {"X-A", "b"})),
                        InvalidInput);
        CHECK(with(std::vector<HttpField>(outbound_headers_max, {"X-A", "b"})).status == 204);
    }
}

TEST_SUITE("sealed secrets") {
    const std::string key(64, 'a');
    const std::string other(64, 'b');

    TEST_CASE("a secret opens for its purpose alone and unchanged") {
        testing::TempDir dir;
        const auto file = written(dir, "keys", "# ours\n" + key + "\r\n\n");
        testing::FakeRandom random;
        KeyRing ring{{.file = file}, random};
        const auto sealed = ring.seal("endpoint/1", "whsec_x");
        CHECK(sealed != ring.seal("endpoint/1", "whsec_x"));
        CHECK(sealed.find("whsec_x") == std::string::npos);
        CHECK(ring.open("endpoint/1", sealed) == "whsec_x");
        CHECK(ring.open("p", ring.seal("p", "")).empty());
        CHECK_THROWS_AS(static_cast<void>(ring.open("endpoint/2", sealed)), Error);
        for (std::size_t at = 0; at < sealed.size(); ++at) {
            auto changed = sealed;
            changed[at] = changed[at] == '0' ? '1' : '0';
            CHECK_THROWS_AS(static_cast<void>(ring.open("endpoint/1", changed)), Error);
        }
        CHECK_THROWS_AS(static_cast<void>(ring.open("endpoint/1", "")), Error);
        CHECK_THROWS_AS(static_cast<void>(ring.open("endpoint/1", "radd1.00.ff")), Error);
    }

    TEST_CASE("a new key in front seals and the old one still opens") {
        testing::TempDir dir;
        testing::FakeRandom random;
        KeyRing old{{.file = written(dir, "old", key)}, random};
        KeyRing both{{.file = written(dir, "both", other + "\n" + key)}, random};
        KeyRing fresh{{.file = written(dir, "new", other)}, random};
        const auto sealed = old.seal("p", "text");
        CHECK(both.open("p", sealed) == "text");
        CHECK(fresh.open("p", both.seal("p", "text")) == "text");
        CHECK_THROWS_WITH_AS(static_cast<void>(fresh.open("p", sealed)),
                             doctest::Contains("not among those given"),
                             ConfigError);
    }

    TEST_CASE("without a usable key it says how to get one") {
        testing::TempDir dir;
        testing::FakeRandom random;
        for (const KeyRing::Source& source :
             {KeyRing::Source{},
              KeyRing::Source{.file = dir.path() / "missing"},
              KeyRing::Source{.file = written(dir, "empty", "# none\n")},
              KeyRing::Source{.file = written(dir, "short", std::string(63, 'a'))},
              KeyRing::Source{.file = written(dir, "long", key + "aa")},
              KeyRing::Source{.file = written(dir, "words", std::string(64, 'z'))}}) {
            KeyRing ring{source, random};
            CHECK_THROWS_WITH_AS(static_cast<void>(ring.seal("p", "text")),
                                 doctest::Contains("openssl rand -hex 32"),
                                 ConfigError);
        }
    }

    TEST_CASE("beside a private database a key is made that only its owner reads") {
        testing::TempDir dir;
        testing::FakeRandom random;
        const KeyRing::Source source{.file = dir.path() / "made", .make_if_missing = true};
        KeyRing first{source, random};
        const auto sealed = first.seal("p", "text");
        KeyRing second{source, random};
        CHECK(second.open("p", sealed) == "text");
        struct stat facts {};
        REQUIRE(stat(source.file.c_str(), &facts) == 0);
        CHECK((facts.st_mode & 0777U) == 0600U);
    }
}

}  // namespace
}  // namespace radd::delivery
