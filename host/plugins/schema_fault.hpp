#pragma once

/// Is a JSON document a JSON Schema?

#include <string>

namespace radd::loader {

/// Empty, or why `text` is no JSON Schema, as the end of a sentence: "has a 'required' that is no
/// list of names", with the place in front where it is inside.
///
/// It must be an object; what is inside may be true or false as well. Each keyword of draft 7 must
/// have a value of its kind, a pattern must be one that std::regex reads, and a reference must lead
/// somewhere in the document. Keywords that the draft does not know mean nothing, as it says.
[[nodiscard]] std::string schema_fault(const std::string& text);

/// The same, and it must describe an object.
[[nodiscard]] std::string object_schema_fault(const std::string& text);

}  // namespace radd::loader
