// Values on their way between JSON and a table.

#include <optional>
#include <string>

#include <doctest/doctest.h>

#include <host/entities/column.hpp>
#include <host/entities/field_value.hpp>
#include <host/entities/moment.hpp>

using namespace radd;
using namespace radd::entities;

namespace {

const FieldSpec decimal{
    .name = "cost", .type = FieldType::decimal, .nullable = true, .precision = 6, .scale = 2};

std::string stored(const FieldSpec& field, const json& value) {
    try {
        return stored_value(field, value).value_or("null");
    } catch (const InvalidInput& refused) {
        return "refused";
    }
}

}  // namespace

TEST_SUITE("value of a field") {
    TEST_CASE("a decimal keeps its digits and equal ones are equal texts") {
        CHECK(stored(decimal, "12.5") == "12.50");
        CHECK(stored(decimal, "0012.50") == "12.50");
        CHECK(stored(decimal, 12) == "12.00");
        CHECK(stored(decimal, "-0.00") == "0.00");
        CHECK(stored(decimal, "-9999.99") == "-9999.99");
        CHECK(stored(decimal, nullptr) == "null");
        for (const auto* text : {"10000", "1.001", "", ".5", "5.", "1e3", "+1", "NaN", "--1", " 1"})
            CHECK_MESSAGE(stored(decimal, text) == "refused", text);
        CHECK(stored(decimal, 1.5) == "refused");

        const FieldSpec whole{.name = "n", .type = FieldType::decimal, .precision = 40, .scale = 0};
        CHECK(stored(whole, "1234567890123456789012345678901234567890") ==
              "1234567890123456789012345678901234567890");
    }

    TEST_CASE("an integer is one of 64 bits") {
        const FieldSpec field{.name = "n", .type = FieldType::integer};
        CHECK(stored(field, std::int64_t{9007199254740993}) == "9007199254740993");
        CHECK(stored(field, std::uint64_t{18446744073709551615U}) == "refused");
        CHECK(stored(field, 1.0) == "refused");
        CHECK(stored(field, "1") == "refused");
        CHECK(stored(field, nullptr) == "refused");
        CHECK(shown_value(field, "9007199254740993", false).dump() == "9007199254740993");
    }

    TEST_CASE("a date is a day that there was or will be") {
        CHECK(canonical_date("2028-02-29") == "2028-02-29");
        for (const auto* text : {"2027-02-29",
                                 "2026-00-01",
                                 "2026-13-01",
                                 "0000-01-01",
                                 "12026-01-01",
                                 "2026-1-1",
                                 "2026-01-01 ",
                                 "26-01-01",
                                 ""})
            CHECK_MESSAGE(!canonical_date(text), text);
    }

    TEST_CASE("an instant is told in UTC whatever its zone") {
        CHECK(canonical_timestamp("2024-03-31T00:30:00.987654Z") == "2024-03-31T00:30:00.987654Z");
        CHECK(canonical_timestamp("2026-01-01T00:30:00+05:30") == "2025-12-31T19:00:00.000000Z");
        CHECK(canonical_timestamp("2026-01-01t00:30:00.5z") == "2026-01-01T00:30:00.500000Z");
        CHECK(canonical_timestamp("2016-12-31T23:59:60Z") == "2017-01-01T00:00:00.000000Z");
        CHECK(canonical_timestamp("2026-01-01T00:00:00.123456789Z") ==
              "2026-01-01T00:00:00.123456Z");
        for (const auto* text : {"infinity",
                                 "-infinity",
                                 "0044-03-15 BC",
                                 "12024-03-15T00:00:00Z",
                                 "2026-01-01T00:00:00",
                                 "2026-01-01",
                                 "2026-01-01T24:00:00Z",
                                 "2026-01-01T00:00:00.Z",
                                 "2026-01-01T00:00:00+5:00",
                                 "9999-12-31T23:59:59-01:00",
                                 "0001-01-01T00:00:00+01:00"})
            CHECK_MESSAGE(!canonical_timestamp(text), text);
    }

    TEST_CASE("names and texts are spelled so that they stay what they are") {
        CHECK(identifier("order") == "\"order\"");
        CHECK(identifier("a\"b") == "\"a\"\"b\"");
        CHECK(literal("it's") == "'it''s'");
        CHECK(literal("a\\'") == "E'a\\\\'''");
    }
}
