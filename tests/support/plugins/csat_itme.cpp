/// A csat whose author has mistyped a subject.

#include <radd/plugin.hpp>

namespace csat_itme {
namespace {

enum class CsatEvent { requested };
enum class Subject { itme };

consteval auto event_names(CsatEvent) {
    return std::array{radd::Named{CsatEvent::requested, "csat.requested"}};
}
consteval auto entity_names(Subject) {
    return std::array{radd::Named{Subject::itme, "itme"}};
}

radd::Manifest manifest() {
    return {.id = RADD_PLUGIN_ID,
            .version = RADD_PLUGIN_VERSION,
            .event_types = {{.type = CsatEvent::requested,
                             .label = "CSAT survey sent",
                             .subjects = {Subject::itme}}}};
}

}  // namespace
}  // namespace csat_itme

RADD_PLUGIN(csat_itme::manifest)
