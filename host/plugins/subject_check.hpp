#pragma once

/// Which entities a manifest expects a loaded plugin to describe.

#include <string>
#include <vector>

#include <radd/manifest.hpp>

namespace radd::loader {

struct SubjectUse {
    std::string code;    ///< Of the problem, if nobody describes it.
    std::string what;    ///< "event 'csat.requested'"
    std::string entity;  ///< "item"
};

[[nodiscard]] std::vector<SubjectUse> subject_uses(const Manifest& manifest);

}  // namespace radd::loader
