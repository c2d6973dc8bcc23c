#pragma once

/// Statements the compiler has seen whole, their parameters and their rows.

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <radd/error.hpp>

namespace radd {

namespace detail {

/// Of the host alone: statements about tables that a manifest names at run time, put together from
/// names that were checked and never from a value.
class BuiltSql;

}  // namespace detail

/// A statement the compiler has seen whole. Text put together at run time does not convert, so
/// a value can only reach the database as a bound parameter: `$1`, `$2`, … in order.
class Sql {
public:
    template <std::size_t N>
    consteval Sql(const char (&text)[N]) : text_{text, N - 1} {}

    [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

private:
    friend class detail::BuiltSql;
    constexpr Sql(const detail::BuiltSql& /*by*/, std::string_view text) noexcept : text_{text} {}

    std::string_view text_;
};

/// A bound parameter. Text is borrowed: it must outlive the call, and only the call. PostgreSQL
/// infers the type from the statement, so a uuid, a timestamp or jsonb is passed as text.
class Param {
public:
    using Value = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string_view>;

    Param(std::nullptr_t) noexcept {}
    Param(std::same_as<bool> auto value) noexcept : value_{value} {}
    Param(double value) noexcept : value_{value} {}
    Param(const char* text) noexcept : value_{std::string_view{text}} {}
    Param(std::string_view text) noexcept : value_{text} {}
    Param(const std::string& text) noexcept : value_{std::string_view{text}} {}
    template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) Param(T value)
    noexcept : value_{static_cast<std::int64_t>(value)} {}
    template <typename T>
    Param(const std::optional<T>& value) noexcept {
        if (value) value_ = Param{*value}.value_;
    }

    [[nodiscard]] const Value& value() const noexcept { return value_; }

private:
    Value value_ = nullptr;
};

/// `{"a","b"}`: what PostgreSQL reads as text[]; cast it where another type is meant,
/// e.g. `= ANY($1::bigint[])`.
[[nodiscard]] inline std::string text_array(std::span<const std::string> values) {
    std::string array = "{";
    for (const auto& value : values) {
        if (array.size() > 1) array += ',';
        array += '"';
        for (const char c : value) {
            if (c == '"' || c == '\\') array += '\\';
            array += c;
        }
        array += '"';
    }
    return array += '}';
}

class Rows;

/// One row of a result. Lent by its Rows.
class Row {
public:
    /// The column's text, as PostgreSQL prints it. @throws SchemaError if it is NULL or missing.
    [[nodiscard]] const std::string& text(std::string_view column) const {
        const auto& cell = find(column);
        if (!cell) throw SchemaError{"column '" + std::string{column} + "' is null"};
        return *cell;
    }
    [[nodiscard]] const std::optional<std::string>& optional_text(std::string_view column) const {
        return find(column);
    }
    [[nodiscard]] bool is_null(std::string_view column) const { return !find(column); }

    /// @throws SchemaError if it is NULL, missing, or no integer of 64 bits.
    [[nodiscard]] std::int64_t integer(std::string_view column) const {
        const std::string& cell = text(column);
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (error != std::errc{} || end != cell.data() + cell.size())
            throw SchemaError{"column '" + std::string{column} + "' is no integer"};
        return value;
    }
    [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view column) const {
        return is_null(column) ? std::nullopt : std::optional{integer(column)};
    }
    /// @throws SchemaError unless PostgreSQL printed a boolean.
    [[nodiscard]] bool boolean(std::string_view column) const {
        const std::string& cell = text(column);
        if (cell != "t" && cell != "f")
            throw SchemaError{"column '" + std::string{column} + "' is no boolean"};
        return cell == "t";
    }

private:
    friend class Rows;
    Row(const std::vector<std::string>& names, std::span<const std::optional<std::string>> cells)
        : names_{&names}, cells_{cells} {}

    [[nodiscard]] const std::optional<std::string>& find(std::string_view column) const {
        for (std::size_t i = 0; i < names_->size(); ++i) {
            if ((*names_)[i] == column) return cells_[i];
        }
        std::string message{"no column '"};
        message.append(column).append("' in the result, it has:");
        for (const auto& name : *names_) message.append(" ").append(name);
        throw SchemaError{message};
    }

    const std::vector<std::string>* names_;
    std::span<const std::optional<std::string>> cells_;
};

/// A whole result, or the number of rows a statement without a result has touched.
class Rows {
public:
    Rows() = default;
    Rows(std::vector<std::string> names, std::vector<std::optional<std::string>> cells)
        : names_{std::move(names)}, cells_{std::move(cells)} {}
    explicit Rows(std::int64_t affected) : affected_{affected} {}

    [[nodiscard]] std::size_t size() const noexcept {
        return names_.empty() ? 0 : cells_.size() / names_.size();
    }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    /// Rows inserted, updated or deleted, by a statement that returns none.
    [[nodiscard]] std::int64_t affected() const noexcept {
        return names_.empty() ? affected_ : static_cast<std::int64_t>(size());
    }

    /// Valid as long as this. `at` < size(). @throws SchemaError past the end.
    [[nodiscard]] Row operator[](std::size_t at) const {
        if (at >= size()) throw SchemaError{"row " + std::to_string(at) + " is past the result"};
        return Row{names_, std::span{cells_}.subspan(at * names_.size(), names_.size())};
    }

    class Iterator {
    public:
        Iterator(const Rows& rows, std::size_t at) : rows_{&rows}, at_{at} {}
        Row operator*() const { return (*rows_)[at_]; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return at_ != other.at_; }

    private:
        const Rows* rows_;
        std::size_t at_;
    };
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size()}; }

private:
    std::vector<std::string> names_;
    std::vector<std::optional<std::string>> cells_;
    std::int64_t affected_ = 0;
};

/// The only row of a result that is kept with it.
class OnlyRow {
public:
    explicit OnlyRow(Rows rows) : rows_{std::move(rows)} {}
    [[nodiscard]] Row operator*() const { return rows_[0]; }

    class Arrow {
    public:
        explicit Arrow(Row row) : row_{row} {}
        const Row* operator->() const { return &row_; }

    private:
        Row row_;
    };
    [[nodiscard]] Arrow operator->() const { return Arrow{rows_[0]}; }
    [[nodiscard]] explicit operator bool() const noexcept { return !rows_.empty(); }

private:
    Rows rows_;
};

}  // namespace radd
