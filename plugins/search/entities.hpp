#pragma once

/// Entities that nobody here knows by name: their owner says by what each is found.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query.hpp"
#include <radd/catalog.hpp>
#include <radd/event.hpp>
#include <radd/transaction.hpp>

namespace search {

/// One that was found. There is one page of them, beside the first page of items.
struct EntityHit {
    std::string type;
    std::string id;
    std::string label;  ///< What its type is called.
    std::string title;
    std::string url;  ///< Path on the public url; empty if it has no page.
    std::string rank;
    std::vector<Piece> snippet{};
};

/// In order of the ids they were asked for; empty: it is gone.
using Documents = std::vector<std::optional<radd::SearchDocument>>;

/// As their owner describes them now.
[[nodiscard]] Documents documents_of(radd::Transaction& tx,
                                     const radd::EntityRefSpec& spec,
                                     const std::vector<std::string>& ids);

/// Those entities whose EntityRefSpec has a `document`. Lent both for its life.
class EntityIndex {
public:
    static constexpr std::int64_t chunk_entities = 200;  ///< Of a rebuild, in one transaction.

    EntityIndex(std::string configuration, const radd::Catalog& catalog)
        : configuration_{std::move(configuration)}, catalog_{catalog} {}

    /// Indexes what the event is about as it is now, or takes it out if it is gone. Does nothing
    /// about what describes itself to nobody, and nothing that an index up to `event` has.
    void refresh(radd::Transaction& tx, const radd::Event& event) const;

    /// Indexes anew what the index has after `type` and `id`, at most chunk_entities of it; what
    /// came last goes there. Returns how many they were.
    std::int64_t rebuild(radd::Transaction& tx, std::string& type, std::string& id) const;

    /// The best first, at most `limit`.
    [[nodiscard]] std::vector<EntityHit> find(radd::Transaction& tx,
                                              const std::string& text,
                                              std::size_t limit) const;

private:
    void write(radd::Transaction& tx,
               std::string_view type,
               std::string_view id,
               const radd::SearchDocument& document,
               std::int64_t as_of) const;
    void describe(radd::Transaction& tx,
                  const std::string& text,
                  std::vector<EntityHit>& hits) const;

    std::string configuration_;
    const radd::Catalog& catalog_;
};

}  // namespace search
