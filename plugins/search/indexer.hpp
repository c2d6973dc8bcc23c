#pragma once

/// Keeps the index up to date with the stream.

#include <cstdint>
#include <optional>

#include "entities.hpp"
#include "index.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace search {

/// Which item an event changes the words of; empty if of none, or if the event is malformed.
[[nodiscard]] std::optional<std::int64_t> item_of(const radd::Event& event);

/// Indexes the item that an event is about as it is now, silent events included. An item that was
/// not indexed for whatever reason comes with its next event or with a rebuild. Other entities that
/// say by what they are found are indexed likewise.
class Indexer final : public radd::ProjectionConsumer {
public:
    explicit Indexer(radd::Services& host);

    void project(radd::Transaction& tx, const radd::Event& event) override;

private:
    Index index_;
    EntityIndex entities_;
    radd::Log& log_;
};

}  // namespace search
