#include "commands.hpp"

#include <functional>
#include <ostream>
#include <set>
#include <string>

#include "fields.hpp"
#include "item_view.hpp"
#include "to_json.hpp"
#include <items/service.hpp>

namespace items {
namespace {

constexpr int exit_done = 0;
constexpr int exit_usage = 2;

const std::set<std::string, std::less<>> item_fields{"actor",
                                                     "assignee",
                                                     "contact",
                                                     "description",
                                                     "labels",
                                                     "parent",
                                                     "priority",
                                                     "reporter",
                                                     "state",
                                                     "title",
                                                     "type"};

/// One command's words, and how it answers when they make no sense.
struct Command {
    std::string words;
    std::string usage;
    std::string help;
    std::size_t arguments_min;
    std::size_t arguments_max;
    std::function<void(radd::CommandContext&, Directory&, radd::Transaction&)> run;
};

int usage_error(radd::CommandContext& context, const Command& command, const std::string& problem) {
    context.err << command.words << ": " << problem << '\n';
    return exit_usage;
}

int run(const Command& command, radd::CommandContext& context) {
    const auto given = context.arguments.size();
    if (given < command.arguments_min) return usage_error(context, command, "too few arguments");
    if (given > command.arguments_max) return usage_error(context, command, "too many arguments");
    try {
        auto& directory = context.host.get<Directory>();
        context.host.database().transact(
            [&](radd::Transaction& tx) { command.run(context, directory, tx); });
    } catch (const UsageError& error) {
        return usage_error(context, command, error.what());
    }
    return exit_done;
}

PersonId person(radd::Transaction& tx,
                Directory& directory,
                const std::string& field,
                const std::string& who) {
    const auto found = directory.find_person(tx, who);
    if (!found)
        throw radd::InvalidInput{field, "there is no person '" + who + "'; add one: person add"};
    return found->id;
}

Item item(radd::Transaction& tx, Directory& directory, const std::string& key) {
    const auto found = directory.find_item(tx, key);
    if (!found) throw radd::InvalidInput{"item", "there is no '" + key + "'; see: item list"};
    return *found;
}

Project project(radd::Transaction& tx, Directory& directory, const std::string& key) {
    const auto found = directory.find_project(tx, key);
    if (!found)
        throw radd::InvalidInput{"project", "there is no '" + key + "'; add it: project add"};
    return *found;
}

Act act_of(radd::Transaction& tx, Directory& directory, const Fields& fields) {
    const auto actor = fields.find("actor");
    if (actor == fields.end()) return {};
    return {.actor = person(tx, directory, "actor", actor->second)};
}

/// An empty value clears what may be empty: `assignee=`.
ItemPatch patch_of(radd::Transaction& tx, Directory& directory, const Fields& fields) {
    ItemPatch patch;
    const auto optional_person = [&](const std::string& field, const std::string& who) {
        return who.empty() ? std::optional<PersonId>{}
                           : std::optional{person(tx, directory, field, who)};
    };
    for (const auto& [field, value] : fields) {
        if (field == "title") patch.title = value;
        if (field == "description") patch.description = value;
        if (field == "type") patch.type = value;
        if (field == "state") patch.state = value;
        if (field == "priority")
            patch.priority = value.empty() ? std::optional<std::string>{} : std::optional{value};
        if (field == "reporter") patch.reporter = optional_person(field, value);
        if (field == "assignee") patch.assignee = optional_person(field, value);
        if (field == "contact")
            patch.contact =
                value.empty() ? std::optional<Contact>{} : std::optional{Contact{.email = value}};
        if (field == "parent")
            patch.parent = value.empty() ? std::optional<ItemId>{}
                                         : std::optional{item(tx, directory, value).id};
        if (field == "labels") patch.labels = split_list(value);
    }
    return patch;
}

void add_project(radd::CommandContext& context, Directory& directory, radd::Transaction& tx) {
    const auto made = directory.create_project(
        tx, {.key = context.arguments[0], .name = context.arguments[1]}, {});
    if (context.json) {
        context.out << to_json(made) << '\n';
    } else {
        context.out << made.key << '\n';
    }
}

void delete_project(radd::CommandContext& context, Directory& directory, radd::Transaction& tx) {
    const auto fields = parse_fields(context.arguments.subspan(1), {"actor", "with_items"});
    const auto with_items = fields.find("with_items");
    if (with_items != fields.end() && with_items->second != "true" && with_items->second != "false")
        throw UsageError{"with_items is true or false"};
    const auto& key = context.arguments[0];
    const auto found = directory.find_project(tx, key);
    if (!found) throw radd::InvalidInput{"project", "there is no '" + key + "'"};
    const auto items = directory.delete_project(
        tx,
        found->id,
        {.with_items = with_items != fields.end() && with_items->second == "true"},
        act_of(tx, directory, fields));
    if (context.json) {
        context.out << radd::json{{"key", key}, {"deleted", true}, {"deleted_items", items}}
                    << '\n';
    } else {
        context.err << "project " << key << " is gone, and " << items << " items with it\n";
    }
}

void add_person(radd::CommandContext& context, Directory& directory, radd::Transaction& tx) {
    const auto fields = parse_fields(context.arguments.subspan(1), {"email"});
    NewPerson person{.name = context.arguments[0]};
    if (const auto email = fields.find("email"); email != fields.end())
        person.email = email->second;
    const auto made = directory.create_person(tx, person, {});
    if (context.json) {
        context.out << to_json(made) << '\n';
    } else {
        context.out << made.id << '\n';
    }
}

void add_item(radd::CommandContext& context, Directory& directory, radd::Transaction& tx) {
    const auto fields = parse_fields(context.arguments.subspan(2), item_fields);
    if (fields.contains("title")) throw UsageError{"the title is the second argument"};
    const auto patch = patch_of(tx, directory, fields);
    const auto made =
        directory.create_item(tx,
                              {.project_id = project(tx, directory, context.arguments[0]).id,
                               .title = context.arguments[1],
                               .description = patch.description.value_or(""),
                               .type = patch.type.value_or("Task"),
                               .state = patch.state,
                               .priority = patch.priority.value_or(std::nullopt),
                               .reporter = patch.reporter.value_or(std::nullopt),
                               .assignee = patch.assignee.value_or(std::nullopt),
                               .contact = patch.contact.value_or(std::nullopt),
                               .parent = patch.parent.value_or(std::nullopt),
                               .labels = patch.labels.value_or(std::vector<std::string>{})},
                              act_of(tx, directory, fields));
    if (context.json) {
        context.out << to_json(made) << '\n';
    } else {
        context.out << made.key << '\n';
    }
}

void update_item(radd::CommandContext& context, Directory& directory, radd::Transaction& tx) {
    const auto fields = parse_fields(context.arguments.subspan(1), item_fields);
    const auto id = item(tx, directory, context.arguments[0]).id;
    const auto changes = directory.update_item(
        tx, id, patch_of(tx, directory, fields), act_of(tx, directory, fields));
    if (context.json) {
        context.out << to_json(changes) << '\n';
    } else if (changes.empty()) {
        context.err << context.arguments[0] << ": nothing to change\n";
    } else {
        for (const auto& change : changes) context.out << change_line(change) << '\n';
    }
}

void show_item(radd::CommandContext& context, Directory& directory, radd::Transaction& tx) {
    const auto found = item(tx, directory, context.arguments[0]);
    const auto comments = directory.list_comments(tx, found.id);
    if (context.json) {
        auto shown = to_json(found);
        shown["comments"] = list_json(comments);
        context.out << shown << '\n';
    } else {
        print_item(context.out, found, comments);
    }
}

void list_items(radd::CommandContext& context, Directory& directory, radd::Transaction& tx) {
    ItemFilter filter{.limit = list_rows_max};
    if (!context.arguments.empty())
        filter.project_id = project(tx, directory, context.arguments[0]).id;
    auto all = radd::json::array();
    for (;;) {
        const auto page = directory.list_items(tx, filter);
        for (const auto& found : page) {
            if (context.json) {
                all.push_back(to_json(found));
            } else {
                context.out << item_line(found) << '\n';
            }
        }
        if (page.size() < filter.limit) break;
        filter.after = page.back().id;
    }
    if (context.json) context.out << all << '\n';
}

void comment(radd::CommandContext& context, Directory& directory, radd::Transaction& tx) {
    const auto fields = parse_fields(context.arguments.subspan(2), {"actor"});
    const auto id = item(tx, directory, context.arguments[0]).id;
    const auto made = directory.add_comment(
        tx, id, context.arguments[1], act_of(tx, directory, fields), std::nullopt);
    if (context.json) {
        context.out << to_json(made) << '\n';
    } else {
        context.out << context.arguments[0] << '#' << made.id << '\n';
    }
}

constexpr const char* fields_help =
    "Fields: title, description, type, state, priority, reporter, assignee, contact, labels,\n"
    "parent, and actor: who does it. People are named by address or id, labels are separated by\n"
    "commas, and an empty value clears a field: assignee=";

}  // namespace

std::vector<radd::CommandSpec> commands() {
    constexpr std::size_t fields_max = 20;
    const std::string fields = fields_help;
    const std::vector<Command> all{
        {"project add", "KEY NAME", "Add a project.", 2, 2, add_project},
        {"project delete",
         "KEY [with_items=true] [actor=WHO]",
         "Delete a project.\nOne that has items is refused unless with_items=true, which deletes "
         "them first, with\ntheir comments: up to " +
             std::to_string(removal_items_max) + " at a time.",
         1,
         3,
         delete_project},
        {"person add", "NAME [email=ADDRESS]", "Add a person.", 1, 2, add_person},
        {"item add",
         "PROJECT TITLE [field=value ...]",
         "Add an item to a project.\n" + fields,
         2,
         fields_max,
         add_item},
        {"item update",
         "KEY field=value ...",
         "Change an item, e.g. state=Done.\n" + fields,
         2,
         fields_max,
         update_item},
        {"item show", "KEY", "Show one item with its comments.", 1, 1, show_item},
        {"item list", "[PROJECT]", "List items, oldest first.", 0, 1, list_items},
        {"item comment", "KEY TEXT [actor=WHO]", "Comment on an item.", 2, 3, comment},
    };
    std::vector<radd::CommandSpec> specs;
    for (const auto& command : all)
        specs.push_back(
            {.words = command.words,
             .usage = command.usage,
             .help = command.help,
             .run = [command](radd::CommandContext& context) { return run(command, context); }});
    return specs;
}

}  // namespace items
