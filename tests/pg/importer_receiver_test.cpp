// Who is told of what happens around an import, as a receiver of webhooks hears it: P38.

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <tests/pg/consumers_running.hpp>
#include <tests/pg/importer_bench.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/radd_process.hpp>

using namespace std::chrono_literals;
using radd::json;
using radd::Transaction;
using namespace radd::testing;

namespace {

/// Imports of this process, and a host on the same tables that tells a receiver of items.
struct Beside : ImportBench, Installation {
    Beside() : Installation{database} {
        for (const char* id : {"items", "importer", "webhooks"}) ship(id);
        write("keys", std::string(64, 'a') + "\n");
        std::filesystem::permissions(path("keys"), std::filesystem::perms::owner_read);
        Installation::set("RADD_SECRETS_KEY_FILE", path("keys").string());
        Installation::set("RADD_OUTBOUND_ALLOW", "127.0.0.0/8");
        must({"migrate"});
        must({"webhooks", "add", "told", receiver.url(), "item.*"});
        host = serve();
        REQUIRE(eventually([&] { return is_settled(); }));
    }
    /// Runs `work` within an import, between two of its transactions.
    void import_around(const std::function<void()>& work) {
        importer::ImportOptions options;
        options.progress = [&](std::size_t, std::size_t) {
            CHECK(radd::Quiet::active());
            work();
        };
        CHECK(import(json::array({a_jira_issue(1)}), options).created == 1);
    }
    /// Whether the receiver has heard of `count` events of items, and is owed no more.
    bool has_heard(std::size_t count) {
        return eventually([&] { return is_settled() && receiver.count() >= count; }) &&
               receiver.count() == count &&
               database.value("SELECT count(*) FROM radd.deliveries") == std::to_string(count);
    }
    [[nodiscard]] std::string heard(std::size_t nth) const {
        return json::parse(receiver.received().at(nth).body).at("type");
    }

    HttpReceiver receiver;
    std::unique_ptr<Process> host;
};

}  // namespace

TEST_SUITE("import beside a receiver") {
    TEST_CASE_FIXTURE(Beside, "that failed is not heard of and the edit after it is") {
        auto issues = json::array();
        for (int issue = 1; issue <= 5; ++issue) issues.push_back(a_jira_issue(issue));
        const auto file =
            importer::parse_export(issues.dump(), {}, importer::database_zone(db, "UTC"));
        FailingDatabase failing{db, 2};
        const auto failing_import = [&] {
            const radd::Quiet quiet;
            importer::ExportSource source{file};
            return importer::Import{directory, source, {}}.run(failing);
        };
        CHECK_THROWS_AS((void)failing_import(), radd::Unavailable);

        const auto item = an_item({.project_id = a_project().id, .title = "by a person"});
        CHECK(has_heard(1));
        CHECK(heard(0) == "item.created");

        CHECK(import(issues).created == 5);
        update(item.id, {.title = "by a person again"});
        CHECK(has_heard(2));
        CHECK(heard(1) == "item.updated");
    }

    TEST_CASE_FIXTURE(Beside, "that runs does not hide what a person does meanwhile") {
        import_around([&] {
            std::thread{[&] {
                an_item({.project_id = a_project("X").id, .title = "by a person"});
            }}.join();
            CHECK(has_heard(1));
        });
        CHECK(has_heard(1));
        CHECK(heard(0) == "item.created");
    }

    TEST_CASE_FIXTURE(Beside, "that runs does not hide what a consumer beside it plans") {
        Stream stream{database.url()};
        for (const auto& type : types) stream.catalog.add(type, "items");
        for (const auto& entity : entities) stream.catalog.add(entity, "items");
        PerEvent consumer;
        consumer.work = [&](Transaction& tx, const radd::Event& event) {
            if (event.type != "item.created" || event.silent) return;
            (void)directory.update_item(tx, std::stoll(event.entity_id), {.title = "seen"}, {});
        };
        radd::consumers::Workers workers{
            stream.workers(), {.lease = 10s}, {setup(consumer, "probe.one")}, {}};
        workers.start();
        REQUIRE(eventually([&] { return workers.owned_count() == 1; }));

        import_around([&] {
            std::thread{[&] {
                an_item({.project_id = a_project("X").id, .title = "by a person"});
            }}.join();
            CHECK(has_heard(2));
        });

        CHECK(has_heard(2));
        CHECK(heard(1) == "item.updated");
        CHECK(workers.stop(20s).empty());
    }
}
