#pragma once

/// Searching for programs and pages.

#include <vector>

#include "entities.hpp"
#include "query.hpp"
#include <radd/manifest.hpp>

namespace search {

[[nodiscard]] std::vector<radd::RouteSpec> routes();

/// A page of hits, `hits` holding one more if there is another, and the entities beside it.
[[nodiscard]] radd::json page_of(std::vector<Hit> hits,
                                 const std::vector<EntityHit>& entities,
                                 std::size_t limit);

/// One page: the best hits and their snippets. @throws as find().
[[nodiscard]] std::vector<Hit> search_page(radd::Services& host, const Question& question);

/// What else has the words, on the first page of a question about no project; else none.
[[nodiscard]] std::vector<EntityHit> entity_page(radd::Services& host, const Question& question);

}  // namespace search
