// Accounts and tokens as they are used: by commands, by a browser and by programs, on a real host.

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/http_connection.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using nlohmann::json;

namespace {

/// From "…; open http://127.0.0.1:43210".
std::uint16_t port_of(const std::string& said) {
    constexpr std::string_view before = "open http://127.0.0.1:";
    const auto at = said.find(before);
    REQUIRE(at != std::string::npos);
    return static_cast<std::uint16_t>(std::stoi(said.substr(at + before.size())));
}

/// What a browser keeps between requests.
struct Browser {
    std::uint16_t port;
    std::string csrf_token{};
    std::vector<std::string> cookies{};  ///< "name=value"
    std::vector<std::string> set{};      ///< As they were set, attributes and all.

    HttpReply send(std::string_view method, const std::string& target, const json& body = {}) {
        std::string headers;
        std::string all;
        for (const auto& cookie : cookies) all += (all.empty() ? "" : "; ") + cookie;
        if (!all.empty()) headers += "Cookie: " + all + "\r\n";
        if (!csrf_token.empty()) headers += "X-CSRF-Token: " + csrf_token + "\r\n";
        if (!body.is_null()) headers += "Content-Type: application/json\r\n";
        auto reply = http(port, method, target, headers, body.is_null() ? "" : body.dump());
        const auto [first, last] = reply.headers.equal_range("set-cookie");
        if (first != last) cookies.clear();
        for (auto it = first; it != last; ++it) {
            set.push_back(it->second);
            cookies.push_back(it->second.substr(0, it->second.find(';')));
        }
        if (first != last && !reply.body.empty()) csrf_token = reply.json()["csrf_token"];
        return reply;
    }
};

HttpReply by_token(std::uint16_t port,
                   const std::string& token,
                   std::string_view method,
                   std::string_view target) {
    return http(port, method, target, "Authorization: Bearer " + token + "\r\n");
}

constexpr const char* password = "correct horse battery";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        Installation::set("RADD_LOG_LEVEL", "debug");
        must({"migrate"});
    }
    json json_of(std::vector<std::string> command) const {
        command.emplace_back("--json");
        return must(command).json();
    }
    std::string link_for(const std::string& name, const std::string& role) const {
        return json_of({"account", "create", "--name", name, "--role", role})["link"]["code"];
    }
    /// Signed in as administrator, by a link that a command has made.
    Browser root_at(std::uint16_t port) const {
        Browser browser{.port = port};
        const auto target = "/api/v1/links/" + link_for("root", "admin");
        REQUIRE(browser.send("POST", target, {{"password", password}}).status == 200);
        return browser;
    }
};

/// `radd serve` on a terminal that script(1) makes, until it is ready; what the terminal showed.
std::string served_on_terminal(const Scene& scene, const std::string& log_format) {
    const auto folder = scene.path(".").string();
    Process terminal{{"/usr/bin/script",
                      "-qefc",
                      "cd '" + folder + "'; echo $$ > pid; exec \"$RADD\" serve",
                      "/dev/null"},
                     {{"RADD", RADD_BINARY_DIR "/bin/radd"},
                      {"RADD_DATABASE_URL", scene.url()},
                      {"RADD_PLUGINS_DIR", "./plugins"},
                      {"RADD_MANIFESTS_DIR", "./manifests"},
                      {"RADD_DATA_DIR", "./var"},
                      {"RADD_LOG_FORMAT", log_format},
                      {"RADD_HTTP_LISTEN", "127.0.0.1:0"}}};
    const auto is_done = [&] {
        return contains(terminal.output(), "/link/") ||
               contains(terminal.output(), "prints a one-time link");
    };
    REQUIRE(eventually(is_done));
    pid_t pid = 0;
    std::ifstream{scene.path("pid")} >> pid;
    REQUIRE(pid > 0);
    kill(pid, SIGTERM);
    REQUIRE(terminal.wait());
    return terminal.output();
}

}  // namespace

TEST_SUITE("accounts of a running host") {
    TEST_CASE_FIXTURE(Scene, "a person comes by a link and goes on with a password") {
        const auto host = serve();
        Browser browser{.port = port_of(host->errors())};
        const auto code = link_for("Ada", "member");
        CHECK(browser.send("GET", "/api/v1/links/" + code).json()["name"] == "Ada");

        const auto in = browser.send("POST", "/api/v1/links/" + code, {{"password", password}});

        CHECK(in.status == 200);
        CHECK(in.json()["account"]["role"] == "member");
        CHECK(browser.send("GET", "/api/v1/session").json()["csrf_token"] == browser.csrf_token);
        CHECK(browser.send("GET", "/api/v1/accounts").status == 403);
        CHECK(browser.send("GET", "/api/v1/links/" + code).status == 404);
        CHECK(browser.send("POST", "/api/v1/links/" + code, {{"password", password}}).status ==
              404);
        CHECK(browser.send("DELETE", "/api/v1/session").status == 204);
        CHECK(browser.send("GET", "/api/v1/session").status == 401);

        const json right{{"name", "ada"}, {"password", password}};
        CHECK(browser.send("POST", "/api/v1/session", right).json()["account"]["name"] == "Ada");
        CHECK(browser.send("GET", "/api/v1/session").status == 200);
    }

    TEST_CASE_FIXTURE(Scene, "cookies are what a browser keeps from scripts and other sites") {
        const auto plain = serve();
        const auto browser = root_at(port_of(plain->errors()));
        REQUIRE(browser.set.size() == 2);
        for (const auto& cookie : browser.set) {
            CHECK(contains(cookie, "; Path=/; HttpOnly; SameSite=Lax; Max-Age="));
            CHECK_FALSE(contains(cookie, "Secure"));
        }
        CHECK(browser.set[0].starts_with("radd_session="));
        CHECK(browser.set[1].starts_with("radd_device="));

        set("RADD_PUBLIC_URL", "https://radd.example");
        const auto secure = serve();
        Browser other{.port = port_of(secure->errors())};
        (void)other.send("POST", "/api/v1/session", {{"name", "root"}, {"password", password}});
        REQUIRE(other.set.size() == 2);
        CHECK(other.set[0].starts_with("__Host-radd_session="));
        CHECK(other.set[1].starts_with("__Host-radd_device="));
        for (const auto& cookie : other.set) CHECK(cookie.ends_with("; Secure"));
    }

    TEST_CASE_FIXTURE(Scene, "a session changes nothing without its CSRF token") {
        const auto host = serve();
        auto root = root_at(port_of(host->errors()));
        const json body{{"name", "ci"}, {"role", "member"}};
        auto forged = root;
        forged.csrf_token = "";

        CHECK(forged.send("POST", "/api/v1/tokens", body).status == 403);
        CHECK(forged.send("DELETE", "/api/v1/session").status == 403);
        CHECK(root.send("POST", "/api/v1/tokens", body).status == 201);
        CHECK(value("SELECT count(*) FROM radd.tokens") == "1");
    }

    TEST_CASE_FIXTURE(Scene, "guessing ends in 429 with the time to wait") {
        const auto host = serve();
        (void)root_at(port_of(host->errors()));
        Browser guesser{.port = port_of(host->errors())};
        const json guess{{"name", "root"}, {"password", "wrong horse battery"}};
        for (int i = 0; i < 5; ++i)
            CHECK(guesser.send("POST", "/api/v1/session", guess).status == 401);

        const auto limited = guesser.send("POST", "/api/v1/session", guess);

        CHECK(limited.status == 429);
        CHECK(limited.header("content-type") == "application/problem+json");
        const int wait = std::stoi(limited.header("retry-after"));
        CHECK(wait > 0);
        CHECK(wait <= 60);
    }

    TEST_CASE_FIXTURE(Scene, "an administrator manages people and tokens") {
        const auto host = serve();
        const auto port = port_of(host->errors());
        auto root = root_at(port);
        const auto made =
            root.send("POST", "/api/v1/accounts", {{"name", "ada"}, {"role", "member"}});
        CHECK(made.status == 201);
        const std::string ada = made.json()["account"]["id"];
        const std::string path = made.json()["link"]["path"];
        CHECK(path == "/link/" + made.json()["link"]["code"].get<std::string>());
        CHECK(root.send("POST", "/api/v1/accounts", {{"name", "ADA"}, {"role", "member"}})
                  .json()["errors"][0]["field"] == "name");
        CHECK(root.send("POST", "/api/v1/accounts", {{"name", "x"}, {"role", "god"}}).status ==
              422);

        const auto token = root.send(
            "POST",
            "/api/v1/tokens",
            {{"name", "ci"}, {"role", "member"}, {"account_id", ada}, {"lifetime", "90d"}});
        CHECK(token.status == 201);
        const std::string secret = token.json()["token"];
        CHECK(by_token(port, secret, "GET", "/api/v1/session").json()["account"]["name"] == "ada");
        CHECK(by_token(port, secret, "GET", "/api/v1/tokens").status == 403);
        CHECK(root.send("GET", "/api/v1/tokens?limit=1").json()["tokens"].size() == 1);
        CHECK_FALSE(root.send("GET", "/api/v1/tokens").json()["tokens"][0].contains("token"));

        CHECK(root.send("PATCH", "/api/v1/accounts/" + ada, {{"role", "admin"}}).json()["role"] ==
              "admin");
        CHECK(by_token(port, secret, "GET", "/api/v1/session").status == 401);
        const std::string link = "/api/v1/accounts/" + ada + "/link";
        CHECK(root.send("POST", link, json::object()).status == 201);
        const auto disabled =
            root.send("PATCH", "/api/v1/accounts/" + ada, {{"disabled", true}}).json();
        CHECK(disabled["disabled_at"].is_string());
        CHECK(root.send("POST", link, json::object()).status == 422);
        CHECK(root.send("GET", "/api/v1/accounts").json()["accounts"].size() == 2);
        CHECK(root.send("PATCH", "/api/v1/accounts/" + ada, json::object()).status == 422);
        CHECK(root.send("PATCH", "/api/v1/accounts/nobody", {{"disabled", true}}).status == 404);
        CHECK(root.send("DELETE", "/api/v1/tokens/nobody").status == 404);
    }

    TEST_CASE_FIXTURE(Scene, "the last administrator stays and is told what to do") {
        const auto host = serve();
        auto root = root_at(port_of(host->errors()));
        const std::string id = root.send("GET", "/api/v1/session").json()["account"]["id"];

        const auto refused = root.send("PATCH", "/api/v1/accounts/" + id, {{"disabled", true}});

        CHECK(refused.status == 422);
        CHECK(refused.json()["errors"][0]["field"] == "disabled");
        CHECK(contains(refused.body, "radd account create --role admin"));
        CHECK(run({"account", "disable", "root"}).code == 1);
        CHECK(run({"account", "role", "root", "member"}).code == 1);
        CHECK(root.send("GET", "/api/v1/session").status == 200);
    }

    TEST_CASE_FIXTURE(Scene, "a token that a command revokes ends on running hosts in seconds") {
        const auto host = serve();
        const auto port = port_of(host->errors());
        const auto made = json_of({"token", "create", "--name", "ci", "--expires", "90d"});
        const std::string secret = made["token"];
        CHECK(by_token(port, secret, "GET", "/api/v1/session").status == 200);

        must({"token", "revoke", made["id"].get<std::string>()});

        CHECK(eventually(
            [&] { return by_token(port, secret, "GET", "/api/v1/session").status == 401; }));
    }

    TEST_CASE_FIXTURE(Scene, "no line that a host or a command logs holds a secret") {
        set("RADD_LOG_FORMAT", "json");
        const auto created = run({"account", "create", "--name", "root", "--role", "admin"});
        const auto token = run({"token", "create", "--role", "admin", "--name", "ci"});
        REQUIRE(created.code == 0);
        REQUIRE(token.code == 0);
        const std::string code{created.out.substr(created.out.rfind('/') + 1, 43)};
        const std::string secret{token.out.substr(0, token.out.find('\n'))};
        const auto host = serve();
        Browser browser{.port = port_of(host->errors())};
        (void)browser.send("GET", "/api/v1/links/" + code);
        (void)browser.send("GET", "/link/" + code);
        REQUIRE(browser.send("POST", "/api/v1/links/" + code, {{"password", password}}).status ==
                200);
        std::vector<std::string> secrets{code, secret, password, browser.csrf_token};
        for (const auto& cookie : browser.cookies)
            secrets.push_back(cookie.substr(cookie.find('=') + 1));
        const auto made =
            browser.send("POST", "/api/v1/tokens", {{"name", "x"}, {"role", "admin"}});
        secrets.push_back(made.json()["token"]);
        const auto ada =
            browser.send("POST", "/api/v1/accounts", {{"name", "ada"}, {"role", "member"}});
        secrets.push_back(ada.json()["link"]["code"]);
        (void)by_token(browser.port, secret, "GET", "/api/v1/accounts");
        (void)by_token(browser.port, "radd_made_up_by_somebody", "GET", "/api/v1/accounts");
        secrets.emplace_back("made_up_by_somebody");
        (void)browser.send("POST", "/api/v1/session", {{"name", "root"}, {"password", "tried-1"}});
        secrets.emplace_back("tried-1");
        (void)browser.send("DELETE", "/api/v1/session");
        host->signal(SIGTERM);
        REQUIRE(host->wait() == 0);

        const auto lines = created.err + token.err + host->errors();
        for (const auto& one : secrets) {
            CAPTURE(one);
            CHECK(one.size() >= 7);
            CHECK_FALSE(contains(lines, one));
        }
        CHECK(contains(lines, "created with role admin by the command line"));
        CHECK(contains(lines, "account 'ada'"));
        CHECK(contains(lines, "created as member by 'root'"));
        CHECK(contains(lines, "'root' signed out"));
    }
}

TEST_SUITE("first administrator") {
    TEST_CASE_FIXTURE(Scene, "a terminal shows a link that works once") {
        const auto first = served_on_terminal(*this, "human");
        const auto second = served_on_terminal(*this, "human");
        const auto code_in = [](const std::string& shown) {
            return shown.substr(shown.find("/link/") + 6, 43);
        };
        REQUIRE(contains(first, "http://127.0.0.1:"));
        const auto host = serve();
        Browser browser{.port = port_of(host->errors())};
        const json me{{"name", "root"}, {"password", password}};

        CHECK(browser.send("POST", "/api/v1/links/" + code_in(first), me).status == 404);
        const auto in = browser.send("POST", "/api/v1/links/" + code_in(second), me);

        CHECK(in.json()["account"]["role"] == "admin");
        CHECK(Browser{.port = browser.port}
                  .send("POST", "/api/v1/links/" + code_in(second), me)
                  .status == 404);
    }

    TEST_CASE_FIXTURE(Scene, "a log shows the command that makes one and no link") {
        const auto host = serve();
        CHECK(eventually([&] {
            return contains(host->errors(), "`radd account create --role admin --name …` prints");
        }));
        CHECK_FALSE(contains(host->errors(), "/link/"));
        CHECK(value("SELECT count(*) FROM radd.links") == "0");

        CHECK_FALSE(contains(served_on_terminal(*this, "json"), "/link/"));
        CHECK(value("SELECT count(*) FROM radd.links") == "0");
    }

    TEST_CASE_FIXTURE(Scene, "who has one is not told again") {
        const auto first = serve();
        (void)root_at(port_of(first->errors()));

        const auto second = serve();
        second->signal(SIGTERM);
        REQUIRE(second->wait() == 0);

        CHECK_FALSE(contains(second->errors(), "nobody can sign in"));
    }
}

TEST_SUITE("account and token commands") {
    TEST_CASE_FIXTURE(Scene, "what is secret goes to standard output and nothing else does") {
        const auto token = must({"token", "create", "--name", "ci", "--role", "admin"});
        CHECK(lines_of(token.out).size() == 1);
        CHECK(token.out.starts_with("radd_"));
        set("RADD_PUBLIC_URL", "https://radd.example/");
        const auto account = must({"account", "create", "--name", "ada"});
        CHECK(account.out.starts_with("https://radd.example/link/"));
        CHECK(lines_of(account.out).size() == 1);
        CHECK(must({"account", "link", "ADA"}).out.starts_with("https://radd.example/link/"));
    }

    TEST_CASE_FIXTURE(Scene, "lists fit 80 columns") {
        must({"account", "create", "--name", std::string(60, 'n')});
        must({"token", "create", "--name", std::string(60, 't'), "--expires", "365d"});
        set("COLUMNS", "80");
        for (const std::string noun : {"account", "token"}) {
            const auto list = must({noun, "list"});
            CHECK(lines_of(list.out).size() == 2);
            for (const auto& line : lines_of(list.out)) {
                CAPTURE(line);
                CHECK(line.size() <= 82);  // An ellipsis is one column and three bytes.
            }
        }
    }

    TEST_CASE_FIXTURE(Scene, "an account is disabled and enabled and given a role") {
        must({"account", "create", "--name", "ada"});

        CHECK(json_of({"account", "disable", "ada"})["disabled_at"].is_string());
        CHECK(json_of({"account", "enable", "Ada"})["disabled_at"].is_null());
        CHECK(json_of({"account", "role", "ada", "admin"})["role"] == "admin");
        CHECK(json_of({"account", "list"})[0]["role"] == "admin");
        CHECK(contains(must({"account", "disable", "ada"}).err, "disabled by the command line"));
    }

    TEST_CASE_FIXTURE(Scene, "what is wrong is named with what helps") {
        const auto fails = [&](const std::vector<std::string>& command, const char* said) {
            const auto ran = run(command);
            CAPTURE(ran.err);
            CHECK(ran.code == 1);
            CHECK(contains(ran.err, said));
        };
        fails({"account", "disable", "nobody"}, "`radd account list` shows all");
        fails({"account", "create", "--name", ""}, "name: has 0 bytes");
        fails({"token", "revoke", "nobody"}, "`radd token list` shows all");
        fails({"token", "create", "--name", "ci", "--expires", "soon"}, "lifetime: ");
        fails({"token", "create", "--name", "ci", "--expires", "1s"}, "is not between 60 s");
        fails({"token", "create", "--name", "ci", "--account", "nobody"}, "no account is called");
        CHECK(run({"token", "create", "--name", "ci", "--role", "god"}).code == 2);
        CHECK(run({"token", "create"}).code == 2);
        CHECK(value("SELECT count(*) FROM radd.tokens") == "0");
    }
}
