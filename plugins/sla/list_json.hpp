#pragma once

/// Many of something as a JSON array.

#include <vector>

#include <radd/json_text.hpp>

namespace sla {

template <typename T>
[[nodiscard]] radd::json list_json(const std::vector<T>& entries) {
    auto list = radd::json::array();
    for (const T& entry : entries) list.push_back(to_json(entry));
    return list;
}

}  // namespace sla
