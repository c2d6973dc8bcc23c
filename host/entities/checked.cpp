#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <host/config/scalars.hpp>
#include <host/config/suggest.hpp>
#include <host/entities/checked.hpp>
#include <host/entities/field_value.hpp>
#include <radd/error.hpp>

namespace radd::entities {
namespace {

using Path = std::vector<std::string>;

constexpr std::size_t schema_bytes_max = 63;  ///< What PostgreSQL keeps of a name.
constexpr std::size_t label_bytes_max = 200;
constexpr std::size_t choice_bytes_max = 200;
constexpr std::int64_t indexed_text_max = 500;  ///< An entry of a btree has at most 2,704 bytes.

// What every entity has, and the parameters of its list.
constexpr std::array<std::string_view, 6> reserved_fields{
    "id", "version", "created_at", "updated_at", "after", "limit"};
// Schemas that are somebody else's.
constexpr std::array<std::string_view, 3> reserved_schemas{"public", "information_schema", "radd"};

bool is_name(std::string_view name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !name.empty() && name.size() <= entity_name_bytes_max && name.front() >= 'a' &&
           name.front() <= 'z' && std::ranges::all_of(name, allowed);
}

class Check {
public:
    explicit Check(const std::string& plugin) : plugin_{plugin} {}

    std::vector<Fault> run(const std::vector<EntitySpec>& entities) {
        if (entities.empty()) return {};
        const bool is_taken =
            std::ranges::find(reserved_schemas, plugin_) != reserved_schemas.end();
        if (is_taken || plugin_.starts_with("pg_") || plugin_.size() > schema_bytes_max)
            add({},
                "E70",
                "plugin '" + plugin_ +
                    "' cannot have tables, which would stand in a schema of its id",
                "Choose another id, of at most " + std::to_string(schema_bytes_max) + " bytes");
        if (entities.size() > entities_max) count({}, entities.size(), entities_max, "entities");
        for (const EntitySpec& spec : entities) check(spec);
        return std::move(faults_);
    }

private:
    void add(Path path, std::string code, std::string message, std::string hint = {}) {
        faults_.push_back({.code = std::move(code),
                           .path = std::move(path),
                           .message = std::move(message),
                           .hint = std::move(hint)});
    }
    void count(Path path, std::size_t found, std::size_t maximum, const std::string& what) {
        add(std::move(path),
            "E71",
            std::to_string(found) + ' ' + what + " are more than the " + std::to_string(maximum) +
                " allowed");
    }
    void within(Path path, std::int64_t value, std::int64_t minimum, std::int64_t maximum) {
        if (value >= minimum && value <= maximum) return;
        add(std::move(path),
            "E71",
            std::to_string(value) + " is outside " + std::to_string(minimum) + ".." +
                std::to_string(maximum));
    }
    bool name(Path path, const std::string& text, const std::string& what) {
        if (is_name(text)) return true;
        add(std::move(path),
            "E70",
            config::shown(text) + " cannot name " + what,
            "Use a to z, 0 to 9 and _, a letter first, at most " +
                std::to_string(entity_name_bytes_max) + " bytes");
        return false;
    }
    void once(Path path,
              std::set<std::string>& seen,
              const std::string& text,
              const std::string& what) {
        if (!seen.insert(text).second)
            add(std::move(path), "E70", what + ' ' + config::shown(text) + " is given twice");
    }
    void label(Path path, const std::string& text, bool required) {
        if (required && text.find_first_not_of(' ') == std::string::npos)
            add(std::move(path), "E70", "is empty", "Write what people should read");
        else if (text.size() > label_bytes_max)
            add(std::move(path),
                "E71",
                "has " + std::to_string(text.size()) + " bytes, at most " +
                    std::to_string(label_bytes_max) + " fit");
    }

    void check(const EntitySpec& spec);
    void check(const EntitySpec& spec, const FieldSpec& field, std::set<std::string>& names);
    void check_sizes(const Path& path, const FieldSpec& field);
    void check_values(const Path& path, const FieldSpec& field);
    void check_reference(const Path& path, const FieldSpec& field);
    void check_default(const Path& path, const FieldSpec& field);
    void check_searchable(const EntitySpec& spec);

    const std::string& plugin_;
    std::set<std::string> keys_;
    std::set<std::string> tables_;
    std::map<std::string, std::string> indexes_;  ///< What their names begin with, by key.
    std::vector<Fault> faults_;
};

Path below(Path path, std::string key) {
    path.push_back(std::move(key));
    return path;
}

void Check::check(const EntitySpec& spec) {
    const Path path{spec.key};
    (void)name(path, spec.key, "an entity");
    once(path, keys_, spec.key, "entity");
    label(below(path, "label"), spec.label, true);
    (void)name(below(path, "plural"), spec.plural, "the routes of an entity");
    if (!spec.table.empty()) (void)name(below(path, "table"), spec.table, "a table");
    once(below(path, spec.table.empty() ? "plural" : "table"),
         tables_,
         spec.table.empty() ? spec.plural : spec.table,
         "table");
    if (spec.fields.empty())
        add(below(path, "fields"), "E71", "has no field", "An entity has at least one");
    if (spec.fields.size() > entity_fields_max)
        count(below(path, "fields"), spec.fields.size(), entity_fields_max, "fields");
    std::set<std::string> names;
    for (const FieldSpec& field : spec.fields) {
        check(spec, field, names);
        // Table "a" with field "b_c" and table "a_b" with field "c" would share an index's name.
        const auto [other, is_new] = indexes_.emplace(
            (spec.table.empty() ? spec.plural : spec.table) + '_' + field.name, spec.key);
        if (!is_new && other->second != spec.key)
            add({spec.key, "fields", field.name},
                "E70",
                "table and field together are named as in entity '" + other->second + "'",
                "Rename one of the fields");
    }
    check_searchable(spec);
}

void Check::check(const EntitySpec& spec, const FieldSpec& field, std::set<std::string>& names) {
    const Path path{spec.key, "fields", field.name};
    (void)name(path, field.name, "a field");
    once(path, names, field.name, "field");
    if (std::ranges::find(reserved_fields, field.name) != reserved_fields.end())
        add(path,
            "E70",
            "'" + field.name + "' is a name that the host itself uses here",
            "Choose another");
    label(below(path, "label"), field.label, false);
    check_sizes(path, field);
    check_values(path, field);
    check_reference(path, field);
    check_default(path, field);
}

void Check::check_sizes(const Path& path, const FieldSpec& field) {
    if (field.type == FieldType::text) {
        within(below(path, "max"), field.max, 1, text_field_max);
        if ((field.index || field.unique) && field.max > indexed_text_max)
            add(below(path, field.unique ? "unique" : "index"),
                "E72",
                "an index holds texts of at most " + std::to_string(indexed_text_max) +
                    " characters, and this may have " + std::to_string(field.max),
                "Lower 'max', or let a search find it");
    }
    if (field.type == FieldType::decimal) {
        within(below(path, "precision"), field.precision, 1, decimal_precision_max);
        within(below(path, "scale"), field.scale, 0, field.precision);
    }
}

void Check::check_values(const Path& path, const FieldSpec& field) {
    const Path values = below(path, "values");
    if (field.type != FieldType::enumeration) {
        if (!field.values.empty())
            add(values, "E72", "only an enum has values", "Write type: enum, or take them away");
        return;
    }
    if (field.values.empty()) add(values, "E72", "an enum has at least one value");
    if (field.values.size() > entity_choices_max)
        count(values, field.values.size(), entity_choices_max, "values");
    std::set<std::string> seen;
    for (const std::string& value : field.values) {
        once(values, seen, value, "value");
        const bool is_blank = value.find_first_not_of(" \t\r\n") == std::string::npos;
        if (is_blank || value.size() > choice_bytes_max || value.find('\0') != std::string::npos)
            add(values,
                "E72",
                config::shown(value) + " cannot be a value: 1 to " +
                    std::to_string(choice_bytes_max) + " bytes, and not only space");
    }
}

void Check::check_reference(const Path& path, const FieldSpec& field) {
    if (field.type != FieldType::reference) {
        if (!field.references.empty())
            add(below(path, "references"),
                "E72",
                "only a reference refers to something",
                "Write type: reference, or take it away");
        if (field.on_delete != OnDelete::keep)
            add(below(path, "on_delete"), "E72", "only of a reference can something be deleted");
        return;
    }
    if (field.references.empty())
        add(path, "E72", "a reference names what it refers to", "Write references: <entity>");
    if (field.on_delete == OnDelete::clear && !field.nullable)
        add(below(path, "on_delete"),
            "E72",
            "a field that is cleared must be nullable",
            "Write nullable: true, or on_delete: cascade");
}

void Check::check_default(const Path& path, const FieldSpec& field) {
    if (!field.default_value) return;
    const Path place = below(path, "default");
    const json value = json::parse(field.default_value->text(), nullptr, false);
    if (value.is_discarded()) return add(place, "E72", "is no JSON value");
    if (field.unique)
        return add(place, "E72", "of a unique field the second row could not have the default");
    if (field.type == FieldType::reference)
        return add(place, "E72", "a reference has no default: what it names may not be there");
    try {
        (void)stored_value(field, value);
    } catch (const InvalidInput& fault) {
        add(place, "E72", std::string{fault.what()}.substr(fault.field().size() + 2));
    }
}

void Check::check_searchable(const EntitySpec& spec) {
    const Path path{spec.key, "searchable"};
    std::vector<std::string> texts;
    for (const FieldSpec& field : spec.fields) {
        if (field.type == FieldType::text || field.type == FieldType::enumeration)
            texts.push_back(field.name);
    }
    std::set<std::string> seen;
    for (const std::string& wanted : spec.searchable) {
        once(path, seen, wanted, "field");
        if (std::ranges::find(texts, wanted) == texts.end())
            add(path,
                "E72",
                config::shown(wanted) + " is no text of this entity",
                config::did_you_mean(wanted, std::span<const std::string>{texts}));
    }
}

}  // namespace

std::vector<Fault> faults_of(const std::string& plugin, const std::vector<EntitySpec>& entities) {
    return Check{plugin}.run(entities);
}

config::Problems problems_of(const std::string& plugin, const std::vector<EntitySpec>& entities) {
    config::Problems problems;
    for (const Fault& fault : faults_of(plugin, entities)) {
        std::string place;
        for (std::size_t i = 0; i < fault.path.size(); ++i) {
            if (i == 0) place = "entity " + config::shown(fault.path[0]) + ": ";
            if (i > 0) place += (i > 1 ? "." : "") + config::shown_key(fault.path[i]);
        }
        if (fault.path.size() > 1) place += ": ";
        problems.push_back({.code = fault.code,
                            .plugin = plugin,
                            .message = place + fault.message,
                            .hint = fault.hint});
    }
    return problems;
}

}  // namespace radd::entities
