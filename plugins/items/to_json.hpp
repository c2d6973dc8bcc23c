#pragma once

/// The JSON of what lives here, the same for the API and for `--json` of every command. Where an
/// event's ref tells the same, it is called the same; what is left out there (long texts,
/// addresses) stands here.

#include <string>
#include <vector>

#include <items/service.hpp>
#include <radd/event.hpp>

namespace items {

/// {"id","key","name","url"}
[[nodiscard]] radd::json to_json(const Project& project);
/// {"id","name","email","url"}
[[nodiscard]] radd::json to_json(const Person& person);
/// {"id","name"}
[[nodiscard]] radd::json to_json(const PersonName& person);
/// {"name","category"}
[[nodiscard]] radd::json to_json(const State& state);
[[nodiscard]] radd::json to_json(const Item& item);
/// {"id","item":{"id","key"},"author","body","created_at","updated_at","url"}
[[nodiscard]] radd::json to_json(const Comment& comment);
/// As events carry them: a list of {field, from, to} and its kin.
[[nodiscard]] radd::json to_json(const std::vector<radd::Change>& changes);

template <typename T>
[[nodiscard]] radd::json list_json(const std::vector<T>& entries) {
    auto list = radd::json::array();
    for (const auto& entry : entries) list.push_back(to_json(entry));
    return list;
}

/// "2024-03-31T00:30:00.000000Z"
[[nodiscard]] std::string time_text(radd::Timestamp at);

}  // namespace items
