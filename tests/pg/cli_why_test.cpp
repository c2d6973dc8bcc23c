// radd why: what an id means here, in every state it may be in.

#include <string>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

struct Desk : TestDatabase, Installation {
    Desk() : Installation{static_cast<TestDatabase&>(*this)} { ship(); }

    /// The only answer.
    [[nodiscard]] nlohmann::json why(const std::string& id) const {
        const auto all = must({"why", id, "--json"}).json();
        REQUIRE_MESSAGE(all.size() == 1, all.dump(2));
        return all[0];
    }
    [[nodiscard]] std::string told(const std::string& id) const { return must({"why", id}).out; }
};

/// Nobody listens at its database.
struct Dark : Installation {
    Dark() {
        set("RADD_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nowhere");
        ship();
    }
};

}  // namespace

TEST_SUITE("radd why") {
    TEST_CASE_FIXTURE(Dark, "tells where a plugin is and who needs it") {
        const auto out = must({"why", "items"}).out;
        CAPTURE(out);
        CHECK(out.starts_with("plugin items: loaded\n"));
        for (const char* part : {"  file         ./plugins/items.so\n",
                                 "  manifest     ./manifests/items.yaml\n",
                                 "  needed by    importer\n               csat\n"})
            CHECK_MESSAGE(contains(out, part), part);
    }

    TEST_CASE_FIXTURE(Dark, "tells why a plugin is not there and what to do") {
        declare("csat", "enabled: false\n");
        write("manifests/importer.yaml", "kind: plugin\nversion: 1\nid: importer\nenabeld: true\n");
        std::filesystem::remove(path("manifests/mail.yaml"));

        const auto csat = must({"why", "csat"}).out;
        CHECK_MESSAGE(contains(csat, "plugin csat: disabled\n"), csat);
        CHECK_MESSAGE(contains(csat, "take `enabled: false` out of its manifest"), csat);

        const auto importer = must({"why", "importer"}).out;
        CHECK_MESSAGE(contains(importer, "plugin importer: refused\n"), importer);
        CHECK_MESSAGE(contains(importer, "E43 ./manifests/importer.yaml:4:1"), importer);
        CHECK_MESSAGE(contains(importer, "the host does not start"), importer);
        CHECK_MESSAGE(contains(importer, "do           E43: the nearest known name is in"),
                      importer);

        const auto mail = must({"why", "mail"}).out;
        CHECK_MESSAGE(contains(mail, "plugin mail: ignored\n"), mail);
        CHECK_MESSAGE(contains(mail, "id: mail"), mail);

        // Its plugin is the reason why nobody knows the consumer.
        const auto sender = must({"why", "csat.sender"}).out;
        CHECK_MESSAGE(contains(sender, "plugin csat: disabled\n"), sender);
    }

    TEST_CASE_FIXTURE(Dark, "tells who declares an event and who reads it") {
        const auto out = must({"why", "item.updated"}).out;
        CAPTURE(out);
        CHECK(out.starts_with("event item.updated: declared\n  declared by  items 1.0.0\n"));
        CHECK(contains(out, "csat.sender"));

        const auto entity = must({"why", "item"}).out;
        CHECK_MESSAGE(contains(entity, "entity item: declared\n"), entity);
        CHECK_MESSAGE(contains(entity, "csat.requested"), entity);

        const auto command = must({"why", "csat enable"}).out;
        CHECK_MESSAGE(contains(command, "command csat enable: declared\n"), command);
    }

    TEST_CASE_FIXTURE(Dark, "explains a code and shows where it is met") {
        CHECK(contains(must({"why", "E31"}).out, "code E31: not met here\n"));

        install("csat_itme", "csat");
        const auto out = must({"why", "E31"}).out;
        CAPTURE(out);
        CHECK(contains(out, "code E31: met here\n"));
        CHECK(contains(out, "  means        an event names a subject that no loaded plugin"));
        CHECK(contains(out, "names subject 'itme'"));
        CHECK(contains(out, "  do           load the plugin that does, or correct the name\n"));
    }

    TEST_CASE_FIXTURE(Dark, "explains a code also where nothing can be opened") {
        write("manifests/host.yaml", "kind: host\nversion: 1\ndata_dri: x\n");
        const auto out = must({"why", "E43"}).out;
        CHECK_MESSAGE(contains(out, "code E43: met here\n"), out);
        CHECK_MESSAGE(contains(out, "host.yaml:3:1"), out);
        CHECK(run({"why", "csat"}).code == 3);
    }

    TEST_CASE_FIXTURE(Dark, "says what was meant by an id that nobody has") {
        const auto unknown = run({"why", "csat.sendre"});
        CHECK(unknown.code == 1);
        CHECK_MESSAGE(contains(unknown.err, "Did you mean 'csat.sender'?"), unknown.err);
        CHECK(unknown.out.empty());

        install("csat_itme", "csat");
        const auto hidden = run({"why", "nobody"});
        CHECK(hidden.code == 1);
        CHECK_MESSAGE(contains(hidden.err, "what refused plugins declare is not known"),
                      hidden.err);
    }

    TEST_CASE_FIXTURE(Dark, "tells what it knows of a consumer without the database") {
        const auto out = must({"why", "csat.sender"}).out;
        CAPTURE(out);
        CHECK(contains(out, "consumer csat.sender: unknown\n"));
        CHECK(contains(out, "  listens to   item.updated\n"));
        CHECK(contains(out, "  database     "));
    }

    TEST_CASE_FIXTURE(Desk, "tells the state of a consumer and what to do") {
        must({"migrate"});
        CHECK(why("csat.sender").at("state") == "never started");

        {
            const auto host = serve();
            REQUIRE(eventually([&] { return is_settled(); }));
            const auto running = why("csat.sender");
            CHECK(running.at("state") == "ok");
            CHECK(running.at("remedy") == "");
            CHECK(running.at("facts").at("owner").size() == 1);

            must({"consumers", "pause", "csat.sender", "--reason", "relay is down"});
            const auto paused = why("csat.sender");
            CHECK(paused.at("state") == "paused");
            CHECK(paused.at("remedy") == "`radd consumers resume csat.sender`");
            CHECK(paused.at("facts").at("pause_reason")[0] == "relay is down");
            must({"consumers", "resume", "csat.sender"});
        }
        CHECK(eventually([&] { return why("csat.sender").at("state") == "unowned"; },
                         std::chrono::seconds{20}));

        // What is left of a plugin that is gone: its row.
        execute("UPDATE radd.consumers SET name = 'old.mirror' WHERE name = 'csat.sender'");
        CHECK(contains(told("old.mirror"), "consumer old.mirror: "));
    }
}
