#pragma once

/// Whether the index is what items and entities are: `radd search verify`.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/manifest.hpp>
#include <radd/services.hpp>

namespace search {

/// One way in which the index can differ from what it is an index of. Names do not change.
struct Check {
    std::string_view name;
    std::string_view found;  ///< After a number: "3 items have no document".
    std::string_view remedy;
};

inline constexpr std::string_view remedy_rebuild = "`radd search rebuild` indexes every item anew";
inline constexpr std::string_view remedy_replay =
    "`radd consumers seek search.indexer beginning` indexes what the index does not have";

inline constexpr std::array checks{
    Check{"document_missing", "items have no document", remedy_rebuild},
    Check{"document_orphan", "documents are of items that are gone", remedy_rebuild},
    Check{"document_older",
          "documents have not the words of their items and had not seen their last event, which "
          "search.indexer has passed",
          remedy_rebuild},
    Check{"document_differs", "documents have not the words of their items", remedy_rebuild},
    Check{"document_configuration",
          "documents were made in another configuration than items are searched in",
          remedy_rebuild},
    Check{"document_ahead",
          "documents claim to have seen events that there are not yet, and would not follow those",
          "`radd search rebuild` keeps the claim: delete these rows of search.documents before it"},
    Check{"entity_missing", "entities that describe themselves have no document", remedy_replay},
    Check{"entity_orphan", "documents are of entities that are gone", remedy_rebuild},
    Check{"entity_older",
          "documents have not the words of their entities and had not seen their last event, which "
          "search.indexer has passed",
          remedy_rebuild},
    Check{"entity_differs", "documents have not the words of their entities", remedy_rebuild},
    Check{"entity_configuration",
          "documents of entities were made in another configuration than they are searched in",
          remedy_rebuild},
    Check{"entity_ahead",
          "documents of entities claim to have seen events that there are not yet",
          "delete these rows of search.entity_documents; `radd consumers seek search.indexer "
          "beginning` indexes what the index does not have"}};

struct Finding {
    const Check* check;
    std::int64_t count = 0;
    std::vector<std::string> examples{};  ///< The first of them: "DEMO-1", "milestone 7".
};

struct Report {
    std::int64_t items = 0;      ///< Compared with their documents.
    std::int64_t documents = 0;  ///< Of items.
    std::int64_t entities = 0;   ///< Documents of other entities.
    std::int64_t waiting = 0;    ///< Differ by what search.indexer has not read yet: no finding.
    bool is_whole = true;        ///< False: the host was told to stop.
    std::vector<Finding> findings{};  ///< In order of `checks`, one of each at most.
};

/// May run beside hosts, writers and searches: it only reads, chunk by chunk, and each chunk is one
/// snapshot of items, documents, events and cursor. What an item became by an event that the cursor
/// has passed is in the document of the same snapshot, because both commit together; what differs
/// by an event above it waits. An item that differs while one of its events waits is not told apart
/// from one that would differ without it: the indexer will make it anew all the same.
///
/// A rebuild that runs meanwhile may leave the document of an item that was deleted under it.
class Verification {
public:
    static constexpr std::int64_t chunk_items = 200;  ///< Whose texts are read in one transaction.
    static constexpr std::int64_t chunk_documents = 10'000;  ///< Of which the keys alone are read.
    static constexpr std::size_t examples_max = 5;

    /// `tell` hears of the report as it grows.
    Verification(radd::Services& host, std::function<void(const Report&)> tell);

    /// @throws as Transaction::query().
    [[nodiscard]] Report run();

private:
    struct Suspect;
    struct Reading;

    void walk(std::int64_t chunk, const std::function<std::int64_t(Reading&)>& judge);
    void walk_items();
    void walk_documents();
    void walk_entities();
    void walk_told(const radd::EntityRefSpec& spec);
    [[nodiscard]] std::vector<std::string> judge_entities(
        Reading& reading,
        const radd::EntityRefSpec& spec,
        const std::vector<std::string>& ids) const;
    void add(const Suspect& suspect);

    radd::Services& host_;
    std::function<void(const Report&)> tell_;
    std::string configuration_;
    Report report_;
};

}  // namespace search
