#pragma once

/// Reading foreign JSON: each value has the type that is wanted, or the issue is refused by name.

#include <optional>
#include <string>
#include <string_view>

#include <radd/error.hpp>
#include <radd/json_text.hpp>

namespace importer {

/// The member, or null if there is none. @throws radd::InvalidInput if `object` is no object.
[[nodiscard]] const radd::json& member(const radd::json& object,
                                       const char* name,
                                       std::string_view field);

/// A text; empty if it is null or absent. Numbers are taken as they are written, since ids are
/// sometimes numbers. @throws radd::InvalidInput naming `field` if it is anything else, or holds
/// what no text holds (see repair_text()).
[[nodiscard]] std::optional<std::string> optional_text(const radd::json& value,
                                                       std::string_view field);

/// The same; "" if there is none.
[[nodiscard]] std::string text_or_empty(const radd::json& value, std::string_view field);

/// The elements of an array; none if it is null. @throws radd::InvalidInput if it is no array.
[[nodiscard]] const radd::json& list(const radd::json& value, std::string_view field);

/// A text, or a document in Atlassian's format, of which the text is taken.
/// https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
[[nodiscard]] std::string document_text(const radd::json& value, std::string_view field);

}  // namespace importer
