#pragma once

/// Entities without code: a plugin says what they are, and the host keeps them.
///
/// From an EntitySpec the host makes a table in the schema of the plugin's id, the routes
/// `/api/v1/<plural>`, the event types `<key>.created`, `<key>.updated` and `<key>.deleted`, the
/// entity's ref, its entry in a search and the sweeps that follow a deletion. The same words in a
/// YAML manifest make a plugin that needs no library.
///
/// What only adds to a table (a field that is nullable or has a default, an index, more room in a
/// text, another value of an enumeration) is done at the next start, as a migration like any
/// other. What would lose or change rows that are there is refused with the SQL to run.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <radd/json_text.hpp>

namespace radd {

/// Limits of a declaration; E70 past them.
inline constexpr std::size_t entities_max = 50;             ///< Of one plugin.
inline constexpr std::size_t entity_fields_max = 50;        ///< Of one entity.
inline constexpr std::size_t entity_choices_max = 100;      ///< Values of one enumeration.
inline constexpr std::int64_t text_field_max = 100'000;     ///< Characters of one text.
inline constexpr std::int64_t short_text_max = 200;         ///< Longer texts stand in no event.
inline constexpr std::int32_t decimal_precision_max = 100;  ///< Digits of one decimal.
/// Of a key, a plural or a field's name, in bytes: the name of an index, `<table>_<field>_idx`,
/// has to fit into the 63 bytes that PostgreSQL keeps.
inline constexpr std::size_t entity_name_bytes_max = 29;

enum class FieldType : std::uint8_t {
    text,         ///< UTF-8 of at most `max` characters.
    integer,      ///< 64 bits.
    decimal,      ///< `precision` digits, `scale` of them behind the point; exact. JSON: a text.
    boolean,      ///< JSON: true or false.
    date,         ///< JSON: "2026-11-30".
    timestamp,    ///< JSON: "2026-11-30T18:56:38Z", with any zone; given back in UTC.
    enumeration,  ///< One of `values`.
    reference,    ///< The id of another entity, `references`.
};

/// What becomes of a row whose referenced entity is deleted. In each case the host does it with
/// the events that belong to it; the database itself deletes nothing.
enum class OnDelete : std::uint8_t {
    keep,     ///< The deletion is refused (409) if the referenced entity is declared like this
              ///< one; of any other the id stays.
    clear,    ///< The field becomes null; it must be nullable.
    cascade,  ///< The row is deleted too.
};

struct FieldSpec {
    /// Lower case, digits, `_`, a letter first; words of SQL are no trouble. Not `id`, `version`,
    /// `created_at`, `updated_at`, which every entity has, and not `after` and `limit`.
    std::string name;
    FieldType type = FieldType::text;
    std::string label{};  ///< For people; empty: the name.
    bool nullable = false;
    std::optional<JsonText> default_value{};  ///< A JSON value, for whoever gives none.
    bool index = false;                       ///< Filters by this field are fast.
    bool unique = false;                      ///< No two rows have the same; nulls are none.
    std::int64_t max = short_text_max;        ///< Of a text, in characters: 1 to text_field_max.
    std::int32_t precision = 18;              ///< Of a decimal: 1 to decimal_precision_max.
    std::int32_t scale = 2;                   ///< Of a decimal: 0 to `precision`.
    std::vector<std::string> values{};        ///< Of an enumeration.
    std::string references{};                 ///< Of a reference: an entity type.
    OnDelete on_delete = OnDelete::keep;      ///< Of a reference.
};

struct EntitySpec {
    std::string key;                ///< The entity type: "milestone".
    std::string label;              ///< For people: "Milestone".
    std::string plural;             ///< In the path of its routes: "milestones".
    std::string table{};            ///< Empty: as `plural`.
    std::vector<FieldSpec> fields;  ///< At least one.
    std::vector<std::string>
        searchable{};  ///< Texts that a search finds it by; the first titles it.
};

/// What a search finds an entity by.
struct SearchDocument {
    std::string title;
    std::string text{};  ///< Everything else, one text a line.
};

}  // namespace radd
