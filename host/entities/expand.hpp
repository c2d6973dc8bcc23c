#pragma once

/// What follows from a declaration, written into the manifest as if the plugin had said it.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <host/entities/model.hpp>

namespace radd::entities {

/// What all plugins declare before anything is expanded.
struct Surroundings {
    std::set<std::string, std::less<>> events;                   ///< Event types.
    std::map<std::string, std::string, std::less<>> describers;  ///< Entity type → plugin.
};

/// Adds event types, refs, documents of the search, routes, sweeps and the dependencies that
/// references bring. `model` has the entities of every manifest that there is.
void expand(const std::shared_ptr<const Model>& model,
            const Surroundings& around,
            Manifest& manifest);

/// A reference to what nobody describes.
struct LostReference {
    std::string field;  ///< "milestone.project"
    std::string entity;
};
[[nodiscard]] std::vector<LostReference> lost_references(const Model& model,
                                                         const Surroundings& around,
                                                         const std::string& plugin);

}  // namespace radd::entities
