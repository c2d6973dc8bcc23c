#include "all_comments.hpp"

#include <algorithm>
#include <iterator>

namespace importer {

std::vector<items::Comment> all_comments(radd::Transaction& tx,
                                         items::Directory& directory,
                                         items::ItemId item) {
    std::vector<items::Comment> all;
    for (items::Page<items::CommentId> page;;) {
        auto next = directory.list_comments(tx, item, page);
        const bool is_last = next.size() < page.limit;
        if (!next.empty()) page.after = next.back().id;
        std::ranges::move(next, std::back_inserter(all));
        if (is_last) return all;
    }
}

}  // namespace importer
