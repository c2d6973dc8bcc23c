#include "arguments.hpp"

#include <functional>
#include <string_view>
#include <utility>

namespace importer {
namespace {

struct Option {
    bool csv_only;
    /// Takes the value; nullptr: the option has none, and `set` is what it means.
    std::function<void(Arguments&, const std::string&)> take{};
    bool Arguments::*set = nullptr;
};

/// "Created=Europe/Berlin" → {"Created", "Europe/Berlin"}; without a sign the column is empty.
std::pair<std::string, std::string> of_column(const std::string& value) {
    const auto sign = value.rfind('=');
    if (sign == std::string::npos) return {{}, value};
    return {value.substr(0, sign), value.substr(sign + 1)};
}

void take_zone(Arguments& arguments, const std::string& value) {
    const auto [column, zone] = of_column(value);
    (column.empty() ? arguments.zone : arguments.column_zones[folded(column)]) = zone;
}

void take_dates(Arguments& arguments, const std::string& value) {
    const auto [column, name] = of_column(value);
    const auto order = date_order_of(name);
    if (!order) throw UsageError{"'" + name + "' is no order of dates; give dmy, mdy or ymd"};
    (column.empty() ? arguments.dates : arguments.column_dates[folded(column)]) = *order;
}

void take_map(Arguments& arguments, const std::string& value) {
    const auto [column, name] = of_column(value);
    const auto field = csv_field_named(name);
    if (column.empty()) throw UsageError{"'" + value + "' is not of the form COLUMN=FIELD"};
    if (!field)
        throw UsageError{"there is no field '" + name + "'; there are " + csv_field_names()};
    arguments.mapped[column] = *field;
}

void take_delimiter(Arguments& arguments, const std::string& value) {
    if (value == "tab" || value == "\t") {
        arguments.delimiter = '\t';
    } else if (value == "," || value == ";" || value == "|") {
        arguments.delimiter = value.front();
    } else {
        throw UsageError{"'" + value + "' is no delimiter; give one of , ; | or tab"};
    }
}

const std::map<std::string_view, Option>& options() {
    static const std::map<std::string_view, Option> all{
        {"--dry-run", {.csv_only = false, .set = &Arguments::dry_run}},
        {"--loud", {.csv_only = false, .set = &Arguments::loud}},
        {"--strict", {.csv_only = false, .set = &Arguments::strict}},
        {"--source",
         {.csv_only = false,
          .take = [](auto& all_of, const auto& value) { all_of.source = value; }}},
        {"--project",
         {.csv_only = false,
          .take = [](auto& all_of, const auto& value) { all_of.projects.push_back(value); }}},
        {"--zone", {.csv_only = false, .take = take_zone}},
        {"--dates", {.csv_only = true, .take = take_dates}},
        {"--map", {.csv_only = true, .take = take_map}},
        {"--delimiter", {.csv_only = true, .take = take_delimiter}},
    };
    return all;
}

}  // namespace

std::string_view name_of(FileKind kind) {
    return kind == FileKind::jira ? "jira" : "csv";
}

Arguments parse_arguments(FileKind kind, std::span<const std::string> words) {
    Arguments arguments;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const auto& word = words[at];
        const auto option = options().find(word);
        if (option != options().end() && (kind == FileKind::csv || !option->second.csv_only)) {
            if (option->second.set != nullptr) {
                arguments.*option->second.set = true;
                continue;
            }
            if (at + 1 == words.size()) throw UsageError{word + " needs a value"};
            option->second.take(arguments, words[++at]);
        } else if (word.starts_with("--")) {
            throw UsageError{"there is no option " + word};
        } else if (!arguments.file.empty()) {
            throw UsageError{"'" + word + "' is a second file; import one at a time"};
        } else {
            arguments.file = word;
        }
    }
    if (arguments.file.empty()) throw UsageError{"which file?"};
    if (kind == FileKind::jira && !arguments.column_zones.empty())
        throw UsageError{"a file of JSON has no columns; give --zone a zone alone"};
    return arguments;
}

}  // namespace importer
