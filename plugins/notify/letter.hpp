#pragma once

/// What a notice says, in the inbox and in mails. Titles, names and excerpts are what people wrote
/// and may be any text: the mailer keeps them out of headers, and the pages out of their markup.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinds.hpp"
#include <radd/json_text.hpp>
#include <radd/mailer.hpp>
#include <radd/sql.hpp>

namespace notify {

inline constexpr std::size_t digest_lines_max = 100;  ///< What is more is counted.

/// One notice, with the names that item and people have now.
struct Told {
    std::int64_t id = 0;
    std::string kind;
    std::int64_t item_id = 0;
    std::string item_key;
    std::string item_title;
    std::optional<std::string> actor_id{};
    std::optional<std::string> actor_name{};
    std::optional<std::string> automated{};  ///< What caused it, if it was no person.
    radd::json detail = radd::json::object();
    std::optional<std::string> excerpt{};  ///< Of the comment, if it is about one.
};

[[nodiscard]] Told told_of(const radd::Row& row);

/// "Ada moved it from To Do to Done", without a full stop. A kind that no plugin has any more is
/// told by its name.
[[nodiscard]] std::string sentence(const Told& told, const Kinds& kinds);

/// Where mails lead.
struct Addressee {
    std::string email;
    std::string name;
    std::string public_url;  ///< Of this instance.
};

/// The mail about one notice.
[[nodiscard]] radd::Mail letter(const Told& told, const Kinds& kinds, const Addressee& to);

/// The mail about a day: `lines` in order of their items, `total` with those that are left out.
[[nodiscard]] radd::Mail digest_letter(std::int64_t digest,
                                       std::string_view day,
                                       const std::vector<Told>& lines,
                                       std::int64_t total,
                                       const Kinds& kinds,
                                       const Addressee& to);

}  // namespace notify
