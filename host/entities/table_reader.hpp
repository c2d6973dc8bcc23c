#pragma once

/// What a table is like, in PostgreSQL's own words: two that are alike read alike.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <host/db/session.hpp>

namespace radd::entities {

struct Column {
    std::string type;  ///< "character varying(200)"
    bool not_null = false;
    std::string default_text;  ///< Empty: none.

    friend bool operator==(const Column&, const Column&) = default;
};

struct Table {
    bool exists = false;
    std::string comment;
    std::map<std::string, Column, std::less<>> columns;
    std::map<std::string, std::string, std::less<>> checks;        ///< Name → CHECK (…).
    std::map<std::string, std::string, std::less<>> foreign_keys;  ///< Name → schema.table.
    std::map<std::string, bool, std::less<>> indexes;              ///< Name → is unique.
};

/// `schema` may be "pg_temp".
[[nodiscard]] Table read_table(db::Session& session,
                               std::string_view schema,
                               std::string_view table);

[[nodiscard]] bool schema_exists(db::Session& session, std::string_view schema);

/// Tables of `schema` whose comment begins so, and their comments.
[[nodiscard]] std::map<std::string, std::string> commented_tables(db::Session& session,
                                                                  std::string_view schema,
                                                                  std::string_view beginning);

}  // namespace radd::entities
