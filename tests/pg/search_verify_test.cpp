// `radd search verify`: each way in which the index can differ is found, and nothing else is.

#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/search/verification.hpp>
#include <radd/testing/commands.hpp>
#include <tests/pg/search_bench.hpp>

namespace {

/// With people who describe themselves, and an indexer whose place the database knows.
struct Bench : search_test::Bench {
    Bench() {
        owner.entity_refs.push_back(
            {.entity_type = items::ItemEntity::person,
             .label = "Person",
             .ref = {},
             .document = [this](radd::Transaction&, std::span<const std::string> ids) {
                 std::vector<std::optional<radd::SearchDocument>> found;
                 for (const auto& id : ids) {
                     const auto one = kept.find(id);
                     found.push_back(one == kept.end() ? std::nullopt : std::optional{one->second});
                 }
                 return found;
             }});
        services.fakes.declared.add(owner, services);
        database.execute(
            "INSERT INTO radd.consumers (name, plugin) VALUES ('search.indexer', 'search')");
    }

    std::string a_person(const std::string& name) {
        const auto id = db.transact([&](radd::Transaction& tx) {
            return directory.create_person(tx, {.name = name}, {}).id;
        });
        kept[id] = {.title = name};
        return id;
    }
    void move_cursor() {
        database.execute("UPDATE radd.consumers SET cursor = " + std::to_string(cursor) +
                         " WHERE name = 'search.indexer'");
    }
    void read_all() {
        settle();
        index();
        move_cursor();
    }
    radd::testing::CommandResult verify(bool as_json = true) {
        return radd::testing::run_command(plugin, services, "search verify", {}, as_json);
    }
    /// "document_missing 2 DEMO-1 DEMO-2": what is found, one a line.
    std::string found_now() {
        const auto ran = verify();
        const auto report = radd::json::parse(ran.out);
        waiting = report.at("waiting");
        std::string text;
        for (const auto& one : report.at("findings")) {
            text += one.at("check").get<std::string>() + ' ' + std::to_string(int{one.at("count")});
            for (const auto& example : one.at("examples")) text += ' ' + example.get<std::string>();
            text += '\n';
            CHECK_FALSE(one.at("remedy").get<std::string>().empty());
        }
        CHECK(report.at("sound") == text.empty());
        CHECK(ran.code == (text.empty() ? 0 : 5));
        return text;
    }
    void rebuild() {
        const auto ran = radd::testing::run_command(plugin, services, "search rebuild", {}, true);
        REQUIRE(ran.code == 0);
    }

    radd::Manifest owner{.id = "people", .version = "1.0.0"};
    std::map<std::string, radd::SearchDocument> kept;
    int waiting = 0;
};

struct Filled : Bench {
    Filled() {
        first = an_item("Printer", "on fire");
        second = an_item("Scanner");
        comment(first, "toner");
        ada = a_person("Ada");
        read_all();
        CHECK(found_now().empty());
        CHECK(waiting == 0);
    }

    items::Item first;
    items::Item second;
    std::string ada;
};

}  // namespace

TEST_SUITE("search verify") {
    TEST_CASE_FIXTURE(Filled, "each kind of damage is found and its remedy mends it") {
        const std::map<std::string, std::string> damages{
            {"DELETE FROM search.documents WHERE item_id = 1", "document_missing 1 DEMO-1\n"},
            {"INSERT INTO search.documents VALUES (999, 'X-1', '', 'simple', false, 0)",
             "document_orphan 1 X-1\n"},
            {"UPDATE search.documents SET vector = 'other' WHERE item_id = 2",
             "document_differs 1 DEMO-2\n"},
            {"UPDATE search.documents SET key = 'DEMO-9'", "document_differs 2 DEMO-1 DEMO-2\n"},
            {"UPDATE search.documents SET shortened = true WHERE item_id = 1",
             "document_differs 1 DEMO-1\n"},
            {"UPDATE items.items SET title = 'Plotter' WHERE id = 1",
             "document_differs 1 DEMO-1\n"},
            {"DELETE FROM items.comments", "document_differs 1 DEMO-1\n"},
            {"UPDATE search.documents SET vector = 'printer', as_of = 0 WHERE item_id = 1",
             "document_older 1 DEMO-1\n"},
            {"UPDATE search.documents SET configuration = 'no such' WHERE item_id = 1",
             "document_configuration 1 DEMO-1\n"},
            {"DELETE FROM search.documents WHERE item_id = 1; UPDATE search.documents "
             "SET vector = ''; UPDATE search.entity_documents SET vector = ''",
             "document_missing 1 DEMO-1\ndocument_differs 1 DEMO-2\nentity_differs 1 person " +
                 ada + "\n"},
            {"UPDATE search.entity_documents SET vector = '', as_of = 0",
             "entity_older 1 person " + ada + "\n"},
            {"UPDATE search.entity_documents SET configuration = 'german'",
             "entity_configuration 1 person " + ada + "\n"}};
        for (const auto& [damage, expected] : damages) {
            CAPTURE(damage);
            database.execute(damage);
            CHECK(found_now() == expected);
            rebuild();
            CHECK(found_now().empty());
        }
    }

    TEST_CASE_FIXTURE(Filled, "what a rebuild leaves is mended as the finding says") {
        database.execute("UPDATE search.documents SET as_of = 1000000 WHERE item_id = 1");
        CHECK(found_now() == "document_ahead 1 DEMO-1\n");
        rebuild();
        CHECK(found_now() == "document_ahead 1 DEMO-1\n");
        database.execute("DELETE FROM search.documents WHERE item_id = 1");
        rebuild();
        CHECK(found_now().empty());

        database.execute("UPDATE search.entity_documents SET as_of = 1000000");
        CHECK(found_now() == "entity_ahead 1 person " + ada + "\n");
        database.execute("DELETE FROM search.entity_documents");
        CHECK(found_now() == "entity_missing 1 person " + ada + "\n");
        cursor = 0;
        index();
        CHECK(found_now().empty());

        kept.clear();
        CHECK(found_now() == "entity_orphan 1 person " + ada + "\n");
        rebuild();
        CHECK(found_now().empty());
    }

    TEST_CASE_FIXTURE(Filled, "what the indexer has not read yet waits") {
        an_item("Plotter");
        db.transact([&](radd::Transaction& tx) {
            directory.update_item(tx, second.id, {.title = "Copier"}, {});
            directory.delete_comment(tx, 1, {});
        });
        const auto bob = a_person("Bob");
        CHECK(found_now().empty());
        CHECK(waiting == 3);
        read_all();
        CHECK(found_now().empty());
        CHECK(waiting == 0);

        kept.erase(bob);
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES "
            "('person.updated', 'person', '" +
            bob + "')");
        db.transact([&](radd::Transaction& tx) { directory.delete_item(tx, first.id, {}); });
        CHECK(found_now().empty());
        CHECK(waiting == 2);

        settle();
        cursor = std::stoll(database.value("SELECT settled FROM radd.stream"));
        move_cursor();
        CHECK(found_now() == "document_orphan 1 DEMO-1\nentity_orphan 1 person " + bob + "\n");
    }

    TEST_CASE_FIXTURE(Filled, "an event that would not index it again excuses nothing") {
        database.execute("UPDATE search.documents SET vector = ''");
        cursor = 0;
        move_cursor();

        CHECK(found_now() == "document_differs 2 DEMO-1 DEMO-2\n");
    }

    TEST_CASE_FIXTURE(Bench, "any number is told by a few examples") {
        for (int n = 1; n <= 205; ++n) an_item("Printer " + std::to_string(n));
        read_all();
        database.execute("DELETE FROM search.documents");
        database.execute(
            "INSERT INTO search.documents SELECT n, 'X-' || n, '', 'simple', false, 0 "
            "FROM generate_series(1000, 11001) n");

        CHECK(found_now() ==
              "document_missing 205 DEMO-1 DEMO-2 DEMO-3 DEMO-4 DEMO-5\n"
              "document_orphan 10002 X-1000 X-1001 X-1002 X-1003 X-1004\n");
        const auto text = verify(false);
        CHECK(text.code == 5);
        CHECK(text.out.starts_with("document_missing: 205 items have no document: DEMO-1, "));
        CHECK(text.out.find("DEMO-5, …\n    `radd search rebuild`") != std::string::npos);
        CHECK(text.err.starts_with("205 items and 10002 documents were compared"));
        CHECK(radd::testing::run_command(plugin, services, "search verify", {"now"}, false).code ==
              2);
    }

    TEST_CASE_FIXTURE(Bench, "nothing is found while writers run") {
        constexpr int rounds = 60;
        std::atomic<int> writing{2};
        const auto write = [&] {
            for (int n = 0; n < rounds; ++n) {
                const auto item = an_item("Printer " + std::to_string(n), "on fire");
                comment(item, "toner");
                db.transact([&](radd::Transaction& tx) {
                    directory.update_item(tx, item.id, {.title = "Scanner"}, {});
                });
                if (n % 3 == 0)
                    db.transact(
                        [&](radd::Transaction& tx) { directory.delete_item(tx, item.id, {}); });
            }
            --writing;
        };
        std::atomic<bool> is_read{false};
        const auto keep_indexing = [&] {
            // Whether nothing is left to read.
            const auto step = [&](radd::Transaction& tx) {
                const auto settled =
                    tx.query_one("SELECT radd.settle() AS settled")->integer("settled");
                bool at_end = true;
                for (const auto& row : tx.query(search_test::read_events, cursor)) {
                    at_end = row.integer("id") <= settled;
                    if (!at_end) break;
                    offer(tx, row);
                }
                tx.execute("UPDATE radd.consumers SET cursor = $1 WHERE name = 'search.indexer'",
                           cursor);
                return at_end;
            };
            for (bool is_last = false; !is_last;) {
                const bool is_written = writing == 0;
                is_last = db.transact(step) && is_written;
            }
            is_read = true;
        };
        std::thread one{write};
        std::thread other{write};
        std::thread reader{keep_indexing};

        int verified = 0;
        std::string found;
        for (; !is_read; ++verified) found += found_now();
        one.join();
        other.join();
        reader.join();

        CHECK(found.empty());
        CHECK(verified > 0);
        CHECK(found_now().empty());
        CHECK(waiting == 0);
    }
}
