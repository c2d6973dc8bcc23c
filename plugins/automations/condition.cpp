#include "condition.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace automations {
namespace {

using radd::json;

constexpr std::array<std::string_view, 7> words{
    "is", "is_not", "in", "contains", "above", "below", "exists"};
constexpr std::array<std::string_view, 4> roots{"event", "payload", "changes", "entity"};

[[noreturn]] void refuse(const std::string& place, const std::string& problem) {
    throw radd::InvalidInput{place, problem};
}

/// The word of a test, and its operand.
std::string word_of(const json& test, const std::string& place) {
    std::string word;
    for (const auto& [key, operand] : test.items()) {
        if (key == "field") continue;
        if (std::ranges::find(words, key) == words.end())
            refuse(place + "." + key,
                   "is no word of a test; they are is, is_not, in, contains, above, below, exists");
        if (!word.empty()) refuse(place, "has two words; write one test for each");
        word = key;
    }
    if (word.empty()) refuse(place, "asks nothing of its field; add is, in, exists or another");
    return word;
}

void check_test(const json& test, const std::string& place) {
    const json& field = test.at("field");
    if (!field.is_string()) refuse(place + ".field", "is no text");
    check_path(field.get<std::string>(), place + ".field");
    const auto word = word_of(test, place);
    const json& operand = test.at(word);
    if (word == "in" && !operand.is_array()) refuse(place + ".in", "is no list");
    if (word == "exists" && !operand.is_boolean()) refuse(place + ".exists", "is true or false");
    const bool ordered = word == "above" || word == "below";
    if (ordered && !operand.is_number() && !operand.is_string())
        refuse(place + "." + word, "is neither number nor text");
}

class Check {
public:
    void visit(const json& condition, const std::string& place, std::size_t depth) {
        if (!condition.is_object()) refuse(place, "is no object");
        if (condition.empty()) return;
        if (depth > condition_depth_max)
            refuse(place, "is nested more than " + std::to_string(condition_depth_max) + " deep");
        if (condition.contains("field")) return visit_test(condition, place);
        if (condition.size() != 1) refuse(place, "has more than one of all, any and not");
        const auto& key = condition.begin().key();
        const json& inner = condition.begin().value();
        if (key == "not") return visit(inner, place + ".not", depth + 1);
        if (key != "all" && key != "any")
            refuse(place + "." + key, "is none of all, any, not and field");
        if (!inner.is_array()) refuse(place + "." + key, "is no list");
        for (std::size_t i = 0; i < inner.size(); ++i)
            visit(inner[i], place + "." + key + "." + std::to_string(i), depth + 1);
    }

private:
    void visit_test(const json& test, const std::string& place) {
        if (++tests_ > condition_tests_max)
            refuse(place, "is one test too many; " + std::to_string(condition_tests_max) + " fit");
        check_test(test, place);
    }

    std::size_t tests_ = 0;
};

bool contains(const json& value, const json& part) {
    if (value.is_array()) return std::ranges::find(value, part) != value.end();
    if (!value.is_string() || !part.is_string()) return false;
    return value.get_ref<const std::string&>().find(part.get_ref<const std::string&>()) !=
           std::string::npos;
}

bool comparable(const json& a, const json& b) {
    return (a.is_number() && b.is_number()) || (a.is_string() && b.is_string());
}

bool passes(const json& test, const json& value) {
    for (const auto& [word, operand] : test.items()) {
        if (word == "is") return value == operand;
        if (word == "is_not") return value != operand;
        if (word == "in") return std::ranges::find(operand, value) != operand.end();
        if (word == "contains") return contains(value, operand);
        if (word == "above") return comparable(value, operand) && value > operand;
        if (word == "below") return comparable(value, operand) && value < operand;
        if (word == "exists") return value.is_null() != operand.get<bool>();
    }
    return false;
}

}  // namespace

std::vector<std::string> words_of(const std::string& path) {
    std::vector<std::string> split{""};
    for (const char c : path) {
        if (c == '.')
            split.emplace_back();
        else
            split.back().push_back(c);
    }
    return split;
}

void check_path(const std::string& path, const std::string& place) {
    if (path.size() > path_bytes_max)
        refuse(place, "has more than " + std::to_string(path_bytes_max) + " bytes");
    const auto split = words_of(path);
    if (split.size() > path_words_max)
        refuse(place, "has more than " + std::to_string(path_words_max) + " words");
    if (std::ranges::find(split, "") != split.end()) refuse(place, "has an empty word");
    if (std::ranges::find(roots, split.front()) == roots.end())
        refuse(place, "begins with none of event, payload, changes and entity");
}

void check_condition(const json& condition, const std::string& place) {
    Check{}.visit(condition, place, 1);
}

bool holds(const json& condition, const Look& look) {
    if (condition.empty()) return true;
    if (const auto field = condition.find("field"); field != condition.end())
        return passes(condition, look(field->get<std::string>()));
    const auto& key = condition.begin().key();
    const json& inner = condition.begin().value();
    const auto met = [&](const json& one) { return holds(one, look); };
    if (key == "not") return !met(inner);
    return key == "all" ? std::ranges::all_of(inner, met) : std::ranges::any_of(inner, met);
}

}  // namespace automations
