// Every change and its event land together: one event, or none when nothing changed.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/items_bench.hpp>

using radd::Transaction;
using radd::testing::ItemsBench;

TEST_SUITE("items directory") {
    TEST_CASE_FIXTURE(ItemsBench, "keys are counted per project and without gaps") {
        const auto demo = a_project("DEMO");
        const auto other = a_project("OTHER");

        CHECK(an_item({.project_id = demo.id, .title = "one"}).key == "DEMO-1");
        CHECK_THROWS(commit([&](Transaction& tx) {
            (void)directory.create_item(tx, {.project_id = demo.id, .title = "undone"}, {});
            throw radd::Error{"rolled back"};
        }));
        CHECK(an_item({.project_id = other.id, .title = "one"}).key == "OTHER-1");
        CHECK(an_item({.project_id = demo.id, .title = "two"}).key == "DEMO-2");
    }

    TEST_CASE_FIXTURE(ItemsBench, "a wanted number is kept and the counter goes on behind it") {
        const auto demo = a_project();

        CHECK(an_item({.project_id = demo.id, .title = "seven", .number = 7}).key == "DEMO-7");
        CHECK(an_item({.project_id = demo.id, .title = "again", .number = 7}).key == "DEMO-8");
        CHECK(an_item({.project_id = demo.id, .title = "three", .number = 3}).key == "DEMO-3");
        CHECK(an_item({.project_id = demo.id, .title = "next"}).key == "DEMO-9");
    }

    TEST_CASE_FIXTURE(ItemsBench, "a new item emits one event with its ref") {
        const auto demo = a_project();
        const auto ada = a_person("Ada", "ada@example.org");
        new_events();

        const auto item = an_item({.project_id = demo.id,
                                   .title = "Printer",
                                   .reporter = ada.id,
                                   .labels = {"b", "a", "b"}});

        CHECK(new_events() == "item.created ");
        CHECK(item.labels == std::vector<std::string>{"a", "b"});
        CHECK(item.state.name == "To Do");
        CHECK(last("payload->'item'->>'key'") == "DEMO-1");
        CHECK(last("payload->'item'->'state'->>'category'") == "todo");
        CHECK(last("payload->'item'->'reporter'->>'name'") == "Ada");
        CHECK(last("project_id") == std::to_string(demo.id));
        CHECK(last("actor_id IS NULL") == "true");
    }

    TEST_CASE_FIXTURE(ItemsBench, "a move into done is told with both categories") {
        const auto item = an_item({.project_id = a_project().id, .title = "Printer"});
        const auto ada = a_person("Ada", "ada@example.org");
        new_events();

        commit([&](Transaction& tx) {
            return directory.update_item(tx, item.id, {.state = "done"}, {.actor = ada.id});
        });

        CHECK(new_events() == "item.updated ");
        CHECK(
            last("changes") ==
            R"([{"to": {"name": "Done", "category": "done"}, "from": {"name": "To Do", "category": "todo"}, "field": "state"}])");
        CHECK(last("actor_id") == ada.id);
        CHECK(find("DEMO-1")->resolved_at);
        update(item.id, {.state = "In Progress"});
        CHECK_FALSE(find("DEMO-1")->resolved_at);
    }

    TEST_CASE_FIXTURE(ItemsBench, "what changes nothing writes nothing and emits nothing") {
        const auto item = an_item({.project_id = a_project().id,
                                   .title = "Printer",
                                   .priority = "High",
                                   .labels = {"a", "b"}});
        new_events();

        CHECK(update(item.id, {}).empty());
        CHECK(update(item.id,
                     {.title = "Printer",
                      .state = "to do",
                      .priority = std::optional<std::string>{"High"},
                      .assignee = std::optional<std::string>{},
                      .labels = std::vector<std::string>{"b", "a"}})
                  .empty());

        CHECK(new_events().empty());
        CHECK(find("DEMO-1")->updated_at == item.updated_at);
    }

    TEST_CASE_FIXTURE(ItemsBench, "a patch clears what it is told to clear") {
        const auto demo = a_project();
        const auto ada = a_person("Ada", "ada@example.org");
        const auto item = an_item({.project_id = demo.id,
                                   .title = "Printer",
                                   .priority = "High",
                                   .assignee = ada.id,
                                   .contact = items::Contact{.email = "kim@example.org"}});

        const auto changes = update(item.id,
                                    {.priority = std::optional<std::string>{},
                                     .assignee = std::optional<std::string>{},
                                     .contact = std::optional<items::Contact>{}});

        CHECK(changes.size() == 3);
        const auto cleared = find("DEMO-1");
        CHECK_FALSE(cleared->priority);
        CHECK_FALSE(cleared->assignee);
        CHECK_FALSE(cleared->contact);
        CHECK(last("changes::text NOT LIKE '%kim@example.org%'") == "true");
    }

    // P21 P22
    TEST_CASE_FIXTURE(ItemsBench, "bad input is refused by field and leaves no trace") {
        const auto demo = a_project();
        const auto item = an_item({.project_id = demo.id, .title = "Printer"});
        new_events();
        const auto create = [&](items::NewItem wanted) {
            wanted.project_id = wanted.project_id == 0 ? demo.id : wanted.project_id;
            return refused([&](Transaction& tx) { return directory.create_item(tx, wanted, {}); });
        };
        const auto change = [&](const items::ItemPatch& patch) {
            return refused(
                [&](Transaction& tx) { return directory.update_item(tx, item.id, patch, {}); });
        };
        const std::string nobody = "00000000-0000-4000-8000-00000000dead";

        CHECK(create({.project_id = 0, .title = ""}) == "title");
        CHECK(create({.project_id = 0, .title = std::string{"ab\0cd", 5}}) == "title");
        CHECK(create({.project_id = 0, .title = "\xff\xfe"}) == "title");
        CHECK(create({.project_id = 0, .title = std::string(501, 'x')}) == "title");
        CHECK(create({.project_id = 0, .title = std::string(500, 'x')}).empty());
        CHECK(create({.project_id = 999, .title = "x"}) == "project");
        CHECK(create({.project_id = 0, .title = "x", .state = "Nowhere"}) == "state");
        CHECK(create({.project_id = 0, .title = "x", .reporter = nobody}) == "reporter");
        CHECK(create({.project_id = 0, .title = "x", .assignee = "ada"}) == "assignee");
        CHECK(create({.project_id = 0, .title = "x", .parent = 999}) == "parent");
        CHECK(create({.project_id = 0, .title = "x", .labels = {""}}) == "labels");
        CHECK(change({.description = std::string(100'001, 'x')}) == "description");
        CHECK(change({.description = std::string(100'000, 'x')}).empty());
        CHECK(change({.contact = items::Contact{.email = "kim"}}) == "contact");
        CHECK(change({.parent = item.id}) == "parent");
        CHECK(refused([&](Transaction& tx) { directory.delete_item(tx, 999, {}); }) == "item");
        CHECK(new_events() == "item.created item.updated ");
    }

    // P22
    TEST_CASE_FIXTURE(ItemsBench, "an emoji is stored as one character") {
        an_item({.project_id = a_project().id, .title = "ok \xf0\x9f\x98\x80"});

        CHECK(find("DEMO-1")->title == "ok \xf0\x9f\x98\x80");
        CHECK(database.value("SELECT length(title)::text FROM items.items") == "4");
    }

    TEST_CASE_FIXTURE(ItemsBench, "no item becomes its own ancestor") {
        const auto demo = a_project();
        const auto top = an_item({.project_id = demo.id, .title = "top"});
        const auto middle = an_item({.project_id = demo.id, .title = "middle", .parent = top.id});
        const auto leaf = an_item({.project_id = demo.id, .title = "leaf", .parent = middle.id});

        CHECK(refused([&](Transaction& tx) {
                  return directory.update_item(tx, top.id, {.parent = leaf.id}, {});
              }) == "parent");
        CHECK(update(leaf.id, {.parent = top.id}).size() == 1);
        CHECK(find("DEMO-3")->parent->key == "DEMO-1");
    }

    TEST_CASE_FIXTURE(ItemsBench, "a deleted item is described once more and frees its children") {
        const auto demo = a_project();
        const auto top = an_item({.project_id = demo.id, .title = "top"});
        an_item({.project_id = demo.id, .title = "leaf", .parent = top.id});
        commit([&](Transaction& tx) {
            return directory.add_comment(tx, top.id, "gone soon", {}, std::nullopt);
        });
        new_events();

        commit([&](Transaction& tx) { directory.delete_item(tx, top.id, {}); });

        CHECK(new_events() == "item.updated item.deleted ");
        CHECK(last("payload->'item'->>'key'") == "DEMO-1");
        CHECK_FALSE(find("DEMO-1"));
        CHECK_FALSE(find("DEMO-2")->parent);
        CHECK(database.value("SELECT count(*)::text FROM items.comments") == "0");
    }

    TEST_CASE_FIXTURE(ItemsBench, "comments and watchers are told once") {
        const auto item = an_item({.project_id = a_project().id, .title = "Printer"});
        const auto ada = a_person("Ada", "ada@example.org");
        new_events();

        const auto comment = commit([&](Transaction& tx) {
            return directory.add_comment(tx, item.id, "Paper jam", {.actor = ada.id}, std::nullopt);
        });
        CHECK(last("payload->'item'->>'key' || ' ' || (payload->'comment'->>'excerpt')") ==
              "DEMO-1 Paper jam");
        const auto edit = [&](const char* body) {
            return commit([&](Transaction& tx) {
                return directory.update_comment(tx, comment.id, body, {});
            });
        };
        CHECK_FALSE(edit("Paper jam"));
        CHECK(edit("Paper jam again"));
        const auto watch = [&] {
            return commit(
                [&](Transaction& tx) { return directory.watch(tx, item.id, ada.id, {}); });
        };
        CHECK(watch());
        CHECK_FALSE(watch());
        commit([&](Transaction& tx) { directory.delete_comment(tx, comment.id, {}); });

        CHECK(new_events() == "comment.created comment.updated item.updated comment.deleted ");
    }

    TEST_CASE_FIXTURE(ItemsBench,
                      "people and projects tell of a change and keep addresses to themselves") {
        const auto demo = a_project();
        const auto ada = a_person("Ada", "ada@example.org");
        new_events();

        const auto rename = [&] {
            return commit([&](Transaction& tx) {
                return directory.rename_project(tx, demo.id, "Demonstration", {});
            });
        };
        CHECK(rename());
        CHECK_FALSE(rename());
        const items::Person moved{.id = ada.id, .name = "Ada", .email = "ada@example.com"};
        CHECK(commit([&](Transaction& tx) { return directory.update_person(tx, moved, {}); }));

        CHECK(new_events() == "project.updated person.updated ");
        CHECK(last("changes") == R"([{"field": "email"}])");
        CHECK(last("payload::text LIKE '%@%'") == "false");
    }

    TEST_CASE_FIXTURE(ItemsBench, "an address that two people share names nobody") {
        a_person("Ada", "desk@example.org");
        CHECK(commit([&](Transaction& tx) {
            return directory.find_person(tx, "DESK@example.org")->name == "Ada";
        }));
        a_person("Bob", "desk@example.org");

        CHECK(refused([&](Transaction& tx) {
                  return directory.find_person(tx, "desk@example.org");
              }) == "person");
    }

    TEST_CASE_FIXTURE(ItemsBench, "a list is read page by page") {
        const auto demo = a_project();
        for (int i = 0; i < 5; ++i) an_item({.project_id = demo.id, .title = "x"});
        const auto page = [&](std::optional<items::ItemId> after) {
            return commit([&](Transaction& tx) {
                return directory.list_items(tx,
                                            {.project_id = demo.id, .after = after, .limit = 3});
            });
        };

        const auto first = page(std::nullopt);
        const auto second = page(first.back().id);

        CHECK(first.size() == 3);
        REQUIRE(second.size() == 2);
        CHECK(second.back().key == "DEMO-5");
    }

    // P44
    TEST_CASE_FIXTURE(ItemsBench, "a comment that is written as its item goes never outlives it") {
        const auto item = an_item({.project_id = a_project().id, .title = "Printer"});
        new_events();
        const auto comment = [&](Transaction& tx) {
            (void)directory.add_comment(tx, item.id, "late", {}, std::nullopt);
        };
        const auto remove = [&](Transaction& tx) { directory.delete_item(tx, item.id, {}); };
        std::string refusal;
        const auto later = [&](const auto& work) {
            return [&] {
                try {
                    commit(work);
                } catch (const radd::Error& error) {
                    refusal = error.what();
                }
            };
        };

        SUBCASE("the comment first") {
            overlapping(comment, later(remove));
            CHECK(refusal == "");
            CHECK(new_events() == "comment.created item.deleted ");
        }
        SUBCASE("the deletion first") {
            overlapping(remove, later(comment));
            CHECK(refusal.find("does not exist") != std::string::npos);
            CHECK(new_events() == "item.deleted ");
        }
        CHECK(database.value("SELECT count(*) FROM items.comments") == "0");
    }

    TEST_CASE_FIXTURE(ItemsBench, "a change waits for the one that holds the row") {
        const auto item = an_item({.project_id = a_project().id, .title = "Printer"});
        auto& other = database.session();
        other.begin();
        other.query("SELECT id FROM items.items WHERE id = $1 FOR UPDATE", item.id);

        CHECK_THROWS_AS(commit([&](Transaction& tx) {
                            tx.execute("SET LOCAL lock_timeout = '50ms'");
                            return directory.update_item(tx, item.id, {.title = "x"}, {});
                        }),
                        radd::Contention);
        other.rollback();
        CHECK(update(item.id, {.title = "x"}).size() == 1);
    }
}
