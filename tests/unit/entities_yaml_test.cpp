// Entities as an operator writes them: what is read, and every mistake at its place.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/config/manifest_file.hpp>
#include <host/entities/checked.hpp>
#include <host/entities/manifest_yaml.hpp>
#include <tests/unit/config_files.hpp>

using namespace radd;
using radd::testing::lines;

namespace {

struct Read {
    std::optional<config::PluginFile> file;
    Manifest manifest;
    config::Problems problems;
};

Read read(const std::string& rest) {
    Read result;
    result.file = config::parse_plugin_file(
        "kind: plugin\nversion: 1\nid: plans\n" + rest, "p.yaml", result.problems);
    if (result.file) result.manifest = entities::manifest_of(*result.file, result.problems);
    return result;
}

/// One entity whose fields begin in line 9, or a line later with `more`.
std::string task(const std::string& fields, const std::string& more = "") {
    return "entities:\n  task:\n    label: Task\n    plural: tasks\n" + more + "    fields:\n" +
           fields;
}
std::string field(const std::string& rest, const std::string& name = "title") {
    return "      " + name + ": {" + rest + "}\n";
}

/// The only complaint, or what there is instead.
std::string complaint(const std::string& rest) {
    const auto found = lines(read(rest).problems);
    std::string all;
    for (const auto& line : found) all += (all.empty() ? "" : "\n") + line;
    return all;
}

}  // namespace

TEST_SUITE("entity in yaml") {
    TEST_CASE("says everything that code can say") {
        const auto [file, manifest, problems] =
            read("plugin_version: 2.1.0\ndescription: Plans\ndepends_on: [items]\n" +
                 task(field("type: text, max: 9, unique: true") +
                          field("type: enum, values: [no, 12], default: no, index: true", "kind") +
                          field("type: decimal, precision: 6, scale: 3, default: 1.50, "
                                "nullable: true",
                                "cost") +
                          field("type: boolean, default: true", "done") +
                          field("type: reference, references: item, nullable: true, "
                                "on_delete: clear, label: What for",
                                "item"),
                      "    table: jobs\n    searchable: [title]\n"));

        REQUIRE(lines(problems) == std::vector<std::string>{});
        CHECK(file->library.empty());
        CHECK(manifest.id == "plans");
        CHECK(manifest.version == "2.1.0");
        CHECK(manifest.description == "Plans");
        CHECK(manifest.depends_on == std::vector<std::string>{"items"});
        REQUIRE(manifest.entities.size() == 1);
        const EntitySpec& spec = manifest.entities[0];
        CHECK(spec.key == "task");
        CHECK(spec.table == "jobs");
        CHECK(spec.searchable == std::vector<std::string>{"title"});
        REQUIRE(spec.fields.size() == 5);
        CHECK(spec.fields[0].max == 9);
        CHECK(spec.fields[0].unique);
        CHECK(spec.fields[1].values == std::vector<std::string>{"no", "12"});
        CHECK(spec.fields[1].default_value->text() == "\"no\"");
        CHECK(spec.fields[2].precision == 6);
        CHECK(spec.fields[2].scale == 3);
        CHECK(spec.fields[2].default_value->text() == "\"1.50\"");
        CHECK(spec.fields[3].default_value->text() == "true");
        CHECK(spec.fields[4].references == "item");
        CHECK(spec.fields[4].on_delete == OnDelete::clear);
        CHECK(spec.fields[4].label == "What for");
    }

    TEST_CASE("event types stand beside it") {
        const auto [file, manifest, problems] = read(
            "event_types:\n  plans.agreed:\n    label: Plan agreed\n    group: Plans\n"
            "    subjects: [item]\n    audited: false\n    readable_by: admin\n"
            "  plans.dropped:\n    label: Plan dropped\n");

        REQUIRE(lines(problems) == std::vector<std::string>{});
        REQUIRE(manifest.event_types.size() == 2);
        CHECK(manifest.event_types[0].type.name() == "plans.agreed");
        CHECK(manifest.event_types[0].subjects.at(0).name() == "item");
        CHECK_FALSE(manifest.event_types[0].audited);
        CHECK(manifest.event_types[0].readable_by == Role::admin);
        CHECK(manifest.event_types[1].readable_by == Role::member);
        CHECK(complaint("event_types:\n  plans.x:\n    label: x\n    readable_by: nobody\n")
                  .starts_with("E48 p.yaml:7:18 plans: event_types.plans.x.readable_by: "));
        CHECK(complaint("event_types:\n  Agreed:\n    label: x\n")
                  .starts_with("E70 p.yaml:5:3 plans: event_types.Agreed: cannot name an event"));
    }

    TEST_CASE("every mistake is told in one pass and at its place") {
        const auto said = complaint(
            task(field("type: txt, max: 9") + field("type: integer, defualt: 5", "points") +
                     field("type: boolean, default: \"no\"", "done") +
                     field("type: text, max: 0300", "notes") + field("type: enum", "kind") +
                     field("type: text, nullable: maybe", "more"),
                 "    lable: Task\n"));

        CHECK(said ==
              "E48 p.yaml:10:21 plans: entities.task.fields.title.type: 'txt' is not one of: text, "
              "integer, decimal, boolean, date, timestamp, enum, reference. Did you mean 'text'?\n"
              "E43 p.yaml:11:31 plans: entities.task.fields.points: unknown key 'defualt'. Did you "
              "mean 'default'?\n"
              "E46 p.yaml:12:38 plans: entities.task.fields.done.default: expected true or false, "
              "got the text \"no\". Remove the quotes\n"
              "E46 p.yaml:13:32 plans: entities.task.fields.notes.max: '0300' begins with a zero, "
              "which some readers take for octal. Write '300'\n"
              "E46 p.yaml:15:36 plans: entities.task.fields.more.nullable: expected true or false, "
              "got 'maybe'\n"
              "E43 p.yaml:8:5 plans: entities.task: unknown key 'lable'. Did you mean 'label'?\n"
              "E72 p.yaml:14:7 plans: entities.task.fields.kind.values: an enum has at least one "
              "value");
    }

    TEST_CASE("a key given twice refuses the plugin") {
        CHECK(complaint(task(field("type: text") + field("type: integer")))
                  .starts_with("E42 p.yaml:10:7 plans: "));
        CHECK(read(task(field("type: text, type: text"))).problems.size() == 1);
    }

    TEST_CASE("a name that no table can have is refused") {
        for (const char* name : {"Title", "1st", "ti-tle", "titel\\\"; DROP TABLE x; --"}) {
            CAPTURE(name);
            const auto said =
                complaint(task("      \"" + std::string{name} + "\": {type: text}\n"));
            CHECK(said.starts_with("E70 p.yaml:9:7 plans: entities.task.fields."));
            CHECK(said.find("cannot name a field. Use a to z") != std::string::npos);
        }
        CHECK(complaint(task(field("type: text", std::string(29, 'x')))).empty());
        CHECK(complaint(task(field("type: text", std::string(30, 'x')))).starts_with("E70 "));
        CHECK(
            complaint(task(field("type: text", "version")))
                .starts_with("E70 p.yaml:9:7 plans: entities.task.fields.version: 'version' is a"));
        CHECK(
            complaint("entities:\n  Task: {label: T, plural: t, fields: {a: {type: text}}}\n")
                .starts_with("E70 p.yaml:5:3 plans: entities.Task: 'Task' cannot name an entity"));
    }

    TEST_CASE("a limit is told where it is passed") {
        const auto with_max = [](const std::string& max) {
            return complaint(task(field("type: text, max: " + max)));
        };
        CHECK(with_max("1").empty());
        CHECK(with_max("100000").empty());
        CHECK(with_max("0") ==
              "E71 p.yaml:9:32 plans: entities.task.fields.title.max: 0 is outside "
              "1..100000");
        CHECK(with_max("100001").starts_with("E71 p.yaml:9:32 "));
        CHECK(complaint(task(field("type: decimal, precision: 101"))).starts_with("E71 "));
        CHECK(complaint(task(field("type: decimal, precision: 3, scale: 4"))).starts_with("E71 "));

        std::string fields;
        for (std::size_t i = 0; i < entity_fields_max; ++i)
            fields += field("type: text", "f" + std::to_string(i));
        CHECK(complaint(task(fields)).empty());
        CHECK(complaint(task(fields + field("type: text")))
                  .starts_with("E71 p.yaml:8:5 plans: entities.task.fields: 51 fields are more"));
        CHECK(complaint("entities:\n  task: {label: T, plural: t, fields: {}}\n")
                  .find("has no field") != std::string::npos);
    }

    TEST_CASE("options that make no sense together are refused") {
        const auto said = [](const std::string& rest) { return complaint(task(field(rest))); };
        CHECK(said("type: text, values: [a]").find("only an enum has values") != std::string::npos);
        CHECK(said("type: text, references: item").find("only a reference") != std::string::npos);
        CHECK(said("type: reference").find("names what it refers to") != std::string::npos);
        CHECK(said("type: reference, references: item, on_delete: clear")
                  .find("a field that is cleared must be nullable") != std::string::npos);
        CHECK(said("type: text, unique: true, default: a").find("second row") != std::string::npos);
        CHECK(said("type: text, max: 501, index: true").find("at most 500 characters") !=
              std::string::npos);
        CHECK(said("type: enum, values: [a, b], default: c")
                  .starts_with("E72 p.yaml:9:52 plans: entities.task.fields.title.default: 'c' is "
                               "none of a, b"));
        CHECK(said("type: date, default: 2026-13-01").find("is no date") != std::string::npos);
        CHECK(complaint(task(field("type: text"), "    searchable: [titel]\n"))
                  .find("'titel' is no text of this entity. Did you mean 'title'?") !=
              std::string::npos);
    }

    TEST_CASE("code and yaml are told the same faults") {
        EntitySpec spec{
            .key = "task", .label = "", .plural = "tasks", .fields = {{.name = "Title"}}};
        const auto found = lines(entities::problems_of("plans", {spec}));

        CHECK(found ==
              std::vector<std::string>{
                  "E70 plans: entity 'task': label: is empty. Write what people should read",
                  "E70 plans: entity 'task': fields.Title: 'Title' cannot name a field. "
                  "Use a to z, 0 to 9 and _, a letter first, at most 29 bytes"});
        CHECK(entities::problems_of("pg_catalog", {spec}).size() == 3);
        CHECK(entities::problems_of("pg_catalog", {}).empty());
    }

    TEST_CASE("a library and entities do not stand together") {
        CHECK(
            complaint("library: plans.so\n" + task(field("type: text")))
                .starts_with("E43 p.yaml:6:3 plans: entities: a plugin with a library says this"));
        CHECK(complaint("description: x\n").starts_with("E43 p.yaml:4:14 plans: description: "));
        CHECK(complaint("plugin_version: \">=1\"\n" + task(field("type: text")))
                  .starts_with("E46 p.yaml:4:17 plans: plugin_version: '>=1' is no version"));
    }
}
