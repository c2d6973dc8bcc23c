#pragma once

/// Parameters as libpq's text protocol wants them: an array of C strings.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <radd/sql.hpp>

namespace radd::db {

/// One copy of every value, in one allocation, for the length of a call.
class BoundParams {
public:
    /// @throws InvalidInput if a text holds a NUL byte: a C string would end there, and
    ///         PostgreSQL would keep the half of it without a word.
    explicit BoundParams(std::span<const Param> params);

    [[nodiscard]] int size() const noexcept { return static_cast<int>(values_.size()); }
    [[nodiscard]] const char* const* data() const noexcept { return values_.data(); }

    /// `message` with every quoted part that is (part of) a value replaced by "…". PostgreSQL
    /// quotes the input it could not read: `invalid input syntax for type uuid: "secret"`.
    [[nodiscard]] std::string without_values(std::string_view message) const;

private:
    std::string text_;
    std::vector<const char*> values_;  ///< Into text_; nullptr is NULL.
};

}  // namespace radd::db
