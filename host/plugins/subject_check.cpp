#include <host/plugins/subject_check.hpp>

namespace radd::loader {

std::vector<SubjectUse> subject_uses(const Manifest& manifest) {
    std::vector<SubjectUse> uses;
    for (const EventTypeSpec& spec : manifest.event_types) {
        for (const EntityType& subject : spec.subjects)
            uses.push_back({.code = "E31",
                            .what = "event '" + std::string{spec.type.name()} + "'",
                            .entity = std::string{subject.name()}});
    }
    for (const ActionSpec& spec : manifest.actions) {
        if (spec.subject)
            uses.push_back({.code = "E55",
                            .what = "action '" + spec.name + "'",
                            .entity = std::string{spec.subject->name()}});
    }
    return uses;
}

}  // namespace radd::loader
