// The index in a real database: what is found, what it shows, and what no text can do to it.

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/search_bench.hpp>
#include <tests/support/wait.hpp>

using search_test::Bench;

namespace {

/// Different words of `size` characters, as many as fit into a text of an item.
std::string different_words(int first, std::size_t size) {
    std::string text;
    for (int n = first; text.size() + size + 1 < items::text_length_max; ++n) {
        std::string word = std::to_string(n);
        text += std::string(size - word.size(), 'x') + word + ' ';
    }
    return text;
}

}  // namespace

TEST_SUITE("search") {
    TEST_CASE_FIXTURE(Bench, "an item is found by its title and text and comments in this order") {
        const auto by_comment = an_item("Third", "Something");
        an_item("Second", "The printer burns");
        an_item("Printer", "It smokes");
        comment(by_comment, "Is it the printer?");
        index();

        CHECK(found("printer") == "DEMO-3 DEMO-2 DEMO-1");
        CHECK(found("printer burns") == "DEMO-2");
        CHECK(found("\"the printer\" -burns") == "DEMO-1");
        CHECK(found("smokes or something") == "DEMO-3 DEMO-1");
        CHECK(found("nowhere").empty());
    }

    TEST_CASE_FIXTURE(Bench, "what is found follows every change") {
        const auto item = an_item("Printer");
        index();
        db.transact([&](radd::Transaction& tx) {
            directory.update_item(tx, item.id, {.title = "Scanner"}, {});
            directory.add_comment(tx, item.id, "toner", {}, {});
        });
        index();
        CHECK(found("printer").empty());
        CHECK(found("scanner toner") == "DEMO-1");

        db.transact([&](radd::Transaction& tx) {
            const auto comments = directory.list_comments(tx, item.id, {});
            directory.delete_comment(tx, comments.at(0).id, {});
        });
        index();
        CHECK(found("toner").empty());

        db.transact([&](radd::Transaction& tx) { directory.delete_item(tx, item.id, {}); });
        CHECK(found("scanner").empty());
        index();
        CHECK(database.value("SELECT count(*) FROM search.documents") == "0");
    }

    TEST_CASE_FIXTURE(Bench, "a replay is the build and quiet imports are in it") {
        {
            const radd::Quiet quiet;
            an_item("Imported");
            an_item("Deleted");
        }
        db.transact([&](radd::Transaction& tx) { directory.delete_item(tx, 2, {}); });

        index();

        CHECK(found("imported") == "DEMO-1");
        CHECK(database.value("SELECT count(*) FROM search.documents") == "1");
    }

    TEST_CASE_FIXTURE(Bench, "an item is indexed once for all events that it has seen") {
        const auto item = an_item("Printer");
        comment(item, "one");
        comment(item, "two");
        settle();
        index();
        const auto version = database.value("SELECT xmin FROM search.documents");

        cursor = 0;
        index();

        CHECK(database.value("SELECT xmin FROM search.documents") == version);
        CHECK(found("two") == "DEMO-1");
    }

    TEST_CASE_FIXTURE(Bench, "a project's new name is shown at once and its filter holds") {
        an_item("Printer");
        project = a_project("OTHER");
        an_item("Printer");
        index();
        database.execute("UPDATE items.projects SET name = 'Renamed' WHERE key = 'OTHER'");

        CHECK(found("printer", "&project=OTHER") == "OTHER-1");
        CHECK(asked("printer", "&project=OTHER")
                  .at("hits")
                  .at(0)
                  .at("item")
                  .at("project")
                  .at("name") == "Renamed");
        CHECK(get("/api/v1/search?q=a&project=NONE").status == 422);
    }

    TEST_CASE_FIXTURE(Bench, "a key finds the item and what begins like it") {
        for (int n = 1; n <= 12; ++n) an_item("Item");
        an_item("Fix DEMO-1: x");
        index();

        CHECK(found("DEMO-1") == "DEMO-1 DEMO-13 DEMO-12 DEMO-11 DEMO-10");
        CHECK(found("demo-12") == "DEMO-12");
        CHECK(found("DEMO-", "&limit=100").starts_with("DEMO-13 DEMO-12"));
    }

    TEST_CASE_FIXTURE(Bench, "pages follow each other without a gap") {
        for (int n = 1; n <= 7; ++n) an_item("Printer");
        index();
        std::string keys;
        std::string after;
        for (int page = 0; page < 3; ++page) {
            const auto answer = asked("printer", "&limit=3" + after);
            for (const auto& hit : answer.at("hits"))
                keys += hit.at("item").at("key").get<std::string>() + " ";
            if (answer.at("next").is_null()) break;
            after =
                "&after=" + radd::percent_encoded(answer.at("next").at("after").get<std::string>());
        }

        CHECK(keys == "DEMO-7 DEMO-6 DEMO-5 DEMO-4 DEMO-3 DEMO-2 DEMO-1 ");
        CHECK(get("/api/v1/search?q=a&after=x").status == 422);
        CHECK(get("/api/v1/search?q=a&after=nan:1").status == 422);
    }

    TEST_CASE_FIXTURE(Bench, "a snippet is plain text in pieces whatever the text holds") {
        an_item("One", "a <script>alert(1)</script> \x02 printer\x03 & \"smoke\"");
        index();

        const auto snippet = asked("printer").at("hits").at(0).at("snippet");

        std::string text;
        std::string hits;
        for (const auto& piece : snippet) {
            text += piece.at("text").get<std::string>();
            if (piece.at("hit").get<bool>()) hits += piece.at("text").get<std::string>();
        }
        CHECK(hits == "printer");
        CHECK(text.find('\x02') == std::string::npos);
        CHECK_MESSAGE(text.find("& \"smoke") != std::string::npos, text);
    }

    // P43
    TEST_CASE_FIXTURE(Bench, "any text that a person writes is a question") {
        an_item("Fix DEMO-1: x", "in a caf\u00e9");
        an_item("Cafe\u0301 \u041f\u0440\u0438\u043d\u0442\u0435\u0440");
        index();
        std::string words;
        while (words.size() < 990) words += "word ";

        for (const char* text : {"PROJ-12: crash",
                                 "'",
                                 "a & | b",
                                 ":*",
                                 "(((",
                                 "\\",
                                 "%",
                                 "",
                                 "   ",
                                 "\U0001F600\U0001F600",
                                 "-",
                                 "\"open quote",
                                 "AND",
                                 "-a",
                                 "<->",
                                 "!!",
                                 "a:b:c",
                                 "DEMO_-1",
                                 "\xF4\x8F\xBF\xBF-1"})
            CHECK_MESSAGE(asked(text).at("hits").is_array(), text);
        CHECK(asked(words).at("hits").empty());
        CHECK(get("/api/v1/search?q=" + std::string(10'000, 'a')).status == 422);
        CHECK(get("/api/v1/search?q=" + std::string(1000, 'a')).status == 200);
        CHECK(get("/api/v1/search?q=" + std::string(1001, 'a')).status == 422);
        CHECK(get("/api/v1/search").status == 422);
        CHECK(found("DEMO-1: x") == "DEMO-1");
        CHECK(found("cafe\u0301") == "DEMO-2 DEMO-1");
        CHECK(found("caf\u00e9") == "DEMO-2 DEMO-1");
        CHECK(found("\u043f\u0440\u0438\u043d\u0442\u0435\u0440") == "DEMO-2");
    }

    // P43
    TEST_CASE_FIXTURE(Bench, "a bare key of elsewhere finds what names it in its title") {
        an_item("Fix PROJ-12: x");
        an_item("Fix PROJ 13");
        index();

        for (const char* key : {"PROJ-12", "proj-12", " PROJ-12 "})
            CHECK_MESSAGE(found(key) == "DEMO-1", key);
        CHECK(found("PROJ-1").empty());
        CHECK(found("OTHER-12").empty());
    }

    // P42
    TEST_CASE_FIXTURE(Bench, "a long text of few words is indexed whole") {
        std::string text;
        while (text.size() + 12 <= items::text_length_max) text += "hello world ";
        const auto item = an_item("Greeting", text);
        for (int n = 0; n < 12; ++n) comment(item, text);
        comment(item, "newest");
        settle();

        index();

        CHECK(found("greeting") == "DEMO-1");
        CHECK(found("\"hello world\" newest") == "DEMO-1");
        CHECK(asked("hello").at("hits").at(0).at("shortened") == false);
        CHECK_FALSE(services.fakes.lines.contains("than a vector holds"));
    }

    // P42
    TEST_CASE_FIXTURE(Bench, "a text with more words than a vector holds is indexed in part") {
        const auto item = an_item("Huge", "begin " + different_words(0, 20).substr(0, 90'000));
        for (int n = 1; n <= 15; ++n) comment(item, different_words(n * 10'000, 20));
        comment(item, "newest");
        const auto emoji = an_item("Emoji", "smile " + std::string(3000, 'w') + " then");
        std::string faces;
        for (int n = 0; n < 100'000; ++n) faces += "\U0001F600";
        for (int n = 0; n < 3; ++n) comment(emoji, faces);
        an_item("After");
        settle();

        index();

        CHECK(found("huge") == "DEMO-1");
        CHECK(found("begin") == "DEMO-1");
        CHECK(found("newest") == "DEMO-1");
        CHECK(asked("huge").at("hits").at(0).at("shortened") == true);
        CHECK(found("smile then") == "DEMO-2");
        CHECK(asked("emoji").at("hits").at(0).at("shortened") == false);
        CHECK(found("after") == "DEMO-3");
        CHECK(services.fakes.lines.contains("item 1 has more words than a vector holds"));
    }

    TEST_CASE_FIXTURE(Bench, "a rebuild makes the index what the items are") {
        for (int n = 1; n <= 205; ++n) an_item("Printer " + std::to_string(n));
        index();
        database.execute("UPDATE search.documents SET vector = '', configuration = 'german'");
        database.execute(
            "INSERT INTO search.documents VALUES (999, 'X-1', '', 'simple', false, 0)");
        std::vector<std::int64_t> told;

        const auto progress = search::Index{"simple"}.rebuild(
            services, [&](const auto& now) { told.push_back(now.done); });

        CHECK(progress.done == 205);
        CHECK(progress.total == 205);
        CHECK(told == std::vector<std::int64_t>{200, 205});
        CHECK(found("205") == "DEMO-205");
        CHECK(database.value("SELECT count(*) FROM search.documents WHERE configuration = "
                             "'simple'") == "205");
    }

    TEST_CASE_FIXTURE(Bench, "a rebuild that has read an item before its change leaves it be") {
        an_item("First");
        const auto item = an_item("Printer");
        settle();
        index();
        radd::db::Session other{database.options()};
        other.begin();
        other.query("SELECT FROM search.documents WHERE item_id = 1 FOR UPDATE");
        std::thread rebuild{[&] { search::Index{"simple"}.rebuild(services, [](const auto&) {}); }};
        CHECK(radd::testing::eventually([&] {
            return database.value(
                       "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                       "AND wait_event_type = 'Lock'") == "1";
        }));

        db.transact([&](radd::Transaction& tx) {
            directory.update_item(tx, item.id, {.title = "Scanner"}, {});
        });
        index();
        other.rollback();
        rebuild.join();

        CHECK(found("scanner") == "DEMO-2");
        CHECK(found("printer").empty());
    }

    TEST_CASE_FIXTURE(Bench, "odd rows of the stream index nothing and stop nothing") {
        for (const char* row : {"'comment.created', 'comment', '1', '[]'",
                                "'comment.created', 'comment', '1', '{\"item\": 5}'",
                                "'comment.created', 'comment', '1', '{\"item\": {\"id\": \"x\"}}'",
                                "'item.created', 'item', 'x', 'null'",
                                "'item.updated', 'item', '-5', '{}'",
                                "'item.deleted', 'item', '99999999999999999999', '{}'"})
            database.execute(
                "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES (" +
                std::string{row} + ")");

        index();

        CHECK(database.value("SELECT count(*) FROM search.documents") == "0");
    }

    // P20
    TEST_CASE_FIXTURE(Bench, "odd times keep nothing from being found") {
        const auto item = an_item("Printer");
        comment(item, "toner");
        for (const char* time : {"infinity", "-infinity", "0044-03-15 BC", "12024-03-15"}) {
            const std::string at = "'" + std::string{time} + "'";
            database.execute("UPDATE items.items SET created_at = " + at + ", updated_at = " + at +
                             "; UPDATE items.comments SET created_at = " + at);
            database.execute(
                "INSERT INTO radd.events (event_type, entity_type, entity_id, occurred_at) VALUES "
                "('item.updated', 'item', '" +
                std::to_string(item.id) + "', " + at + ")");
            index();
            CHECK_MESSAGE(found("printer toner") == "DEMO-1", time);
        }
    }
}

TEST_SUITE("search words") {
    TEST_CASE("a key is told from a word") {
        CHECK(search::key_in("PROJ-12") == "PROJ-12");
        CHECK(search::key_in(" proj_2-1 ") == "PROJ_2-1");
        CHECK(search::key_in("PROJ-") == "PROJ-");
        CHECK_FALSE(search::key_in("PROJ"));
        CHECK_FALSE(search::key_in("-12"));
        CHECK_FALSE(search::key_in("re-open"));
        CHECK_FALSE(search::key_in("PROJ-12: crash"));
        CHECK_FALSE(search::key_in("2A-1"));
    }
}
