#pragma once

/// What each import has written, so that it can be taken back.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report.hpp"
#include <items/service.hpp>
#include <radd/json_text.hpp>
#include <radd/transaction.hpp>

namespace importer {

using ImportId = std::int64_t;

/// One row that an import made or changed.
struct Write {
    std::string kind;  ///< "item", "comment", "person", "project".
    std::string entity_id;
    std::optional<items::ItemId> item{};  ///< Itself, or that of the comment.
    std::optional<radd::json> before{};   ///< What was replaced, by field; empty: it was made.
    radd::json after{};                   ///< digests() of what was written, by field.
};

/// The fields of an item that an import writes, and the contact, which it never does: an item that
/// has one was changed by somebody else.
[[nodiscard]] radd::json field_values(const items::Item& item);
[[nodiscard]] radd::json field_values(const items::Person& person);

/// The values of these fields as a patch.
[[nodiscard]] items::ItemPatch patch_of(const radd::json& values);

/// Enough to tell a value from any other, in 16 digits: FNV-1a of its JSON. Nothing hangs on
/// whether somebody could find another text with the same.
[[nodiscard]] std::string digest(const radd::json& value);
[[nodiscard]] radd::json digests(const radd::json& values);

/// What an import is called.
struct ImportName {
    std::string kind;  ///< "jira", "csv"
    std::string file;
    std::string source;
    bool quiet = true;
};

/// One import's entry and its writes. All of it happens in the transactions of the import, so that
/// neither is there without the other.
class Journal {
public:
    [[nodiscard]] static Journal begin(radd::Transaction& tx, const ImportName& name);

    [[nodiscard]] ImportId id() const noexcept { return id_; }

    /// Adds what one transaction wrote, and what has been counted with it.
    /// @throws radd::InvalidInput naming "import" if it is being taken back meanwhile.
    void add(radd::Transaction& tx, std::span<const Write> writes, const Report& so_far);

    /// The parent that an item made by this import got after all.
    void set_parent(radd::Transaction& tx, items::ItemId item, items::ItemId parent);

    /// Ends it and tells of it by import.finished, unless it was stopped before its end.
    void finish(radd::Transaction& tx, const Report& report);

private:
    Journal(ImportId id, ImportName name) : id_{id}, name_{std::move(name)} {}

    ImportId id_;
    ImportName name_;
};

}  // namespace importer
