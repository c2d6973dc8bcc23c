#pragma once

/// JSON Schema, draft 7: what a document must look like, and where it does not.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <radd/json_text.hpp>

namespace radd::schema {

inline constexpr std::size_t violations_max = 100;  ///< Told of one document, about.
/// Values in a document up to which each fault is looked for. The validator keeps every one of them
/// until it is done, some 500 bytes for each, so that past it only whether there are any is told.
inline constexpr std::size_t located_values_max = 20'000;
/// Longest text that is matched with a `pattern` or `format`; past it: a violation. Matching takes
/// up to 3 KiB of stack a byte in a build with ASan, and a thread has 8 MiB.
inline constexpr std::size_t matched_bytes_max = 1024;

struct Violation {
    std::string field;    ///< "title", "items.0.qty"; "body" for the document as a whole.
    std::string problem;  ///< "is missing"; never repeats a value of the document.

    friend bool operator==(const Violation&, const Violation&) = default;
};

/// Parsed once, used by any number of threads. `format` is checked for date, time, date-time.
class JsonSchema {
public:
    /// @throws ConfigError if `text` is not a JSON object, or no schema.
    explicit JsonSchema(std::string_view text);
    JsonSchema(JsonSchema&&) noexcept;
    JsonSchema& operator=(JsonSchema&&) noexcept;
    ~JsonSchema();

    /// What in `document` breaks the schema, each fault once; empty if it fits. Of a document with
    /// more than located_values_max values the field is "body". [any-thread]
    [[nodiscard]] std::vector<Violation> violations(const json& document) const;

    [[nodiscard]] const json& document() const noexcept;

private:
    struct Parsed;
    std::unique_ptr<const Parsed> parsed_;
};

}  // namespace radd::schema
