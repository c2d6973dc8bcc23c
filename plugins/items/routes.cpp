#include "routes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace items {

std::vector<radd::RouteSpec> routes() {
    std::vector<radd::RouteSpec> all;
    for (auto part :
         {project_routes(), people_routes(), item_routes(), comment_routes(), watcher_routes()})
        std::ranges::move(part, std::back_inserter(all));
    return all;
}

}  // namespace items
