#pragma once

/// The events of the fault tests.

#include <array>

#include <radd/vocabulary.hpp>

namespace radd::testing {

enum class ProbeEvent { happened, echoed };
consteval auto event_names(ProbeEvent) {
    return std::array{Named{ProbeEvent::happened, "probe.happened"},
                      Named{ProbeEvent::echoed, "probe.echoed"}};
}

enum class ProbeEntity { thing };
consteval auto entity_names(ProbeEntity) {
    return std::array{Named{ProbeEntity::thing, "thing"}};
}

}  // namespace radd::testing
