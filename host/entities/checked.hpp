#pragma once

/// What is wrong with a declaration, whoever wrote it.

#include <string>
#include <vector>

#include <host/config/problem.hpp>
#include <radd/entity.hpp>

namespace radd::entities {

/// One fault and where it is: {"milestone", "fields", "state", "values"}.
struct Fault {
    std::string code;
    std::vector<std::string> path;
    std::string message;
    std::string hint{};
};

/// Every fault of the entities of plugin `plugin`: E70 a name that cannot be one or is given twice,
/// E71 a number or a count past its limit, E72 a default, an enumeration, a reference or an option
/// that does not fit the field. What other plugins have is not looked at.
[[nodiscard]] std::vector<Fault> faults_of(const std::string& plugin,
                                           const std::vector<EntitySpec>& entities);

/// The same as problems of a library: "entity 'milestone': fields.state.values: …".
[[nodiscard]] config::Problems problems_of(const std::string& plugin,
                                           const std::vector<EntitySpec>& entities);

}  // namespace radd::entities
