#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include <host/plugins/claims.hpp>
#include <host/plugins/command_check.hpp>
#include <host/plugins/route_check.hpp>
#include <host/plugins/subject_check.hpp>
#include <host/plugins/validate.hpp>

namespace radd::loader {
namespace {

class Validation {
public:
    Validation(const std::vector<Candidate>& candidates, const Surroundings& around)
        : candidates_{candidates}, around_{around}, order_(candidates.size()) {
        std::iota(order_.begin(), order_.end(), 0U);
        // By what they are and not by where they were found: the same answer at every start.
        std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
            return std::pair{candidates[a].id, candidates[a].file} <
                   std::pair{candidates[b].id, candidates[b].file};
        });
        problems_.resize(candidates.size());
    }

    Verdict run() {
        for (const std::size_t i : order_) check_alone(i);
        check_same_ids();
        check_shared_names();
        refuse_cycles();
        refuse_to_fixed_point();
        for (const std::size_t i : order_) warn_about_deaf_consumers(i);
        return finish();
    }

private:
    using Problem = config::Problem;

    const Candidate& at(std::size_t i) const { return candidates_[i]; }
    bool refused(std::size_t i) const {
        return at(i).manifest == nullptr || config::has_errors(problems_[i]);
    }

    void add(std::size_t i, std::string code, std::string message, std::string hint = "") {
        problems_[i].push_back({.code = std::move(code),
                                .plugin = at(i).id,
                                .file = at(i).file,
                                .message = std::move(message),
                                .hint = std::move(hint)});
    }

    void check_alone(std::size_t i);
    void check_same_ids();
    void check_shared_names();
    void check_commands();
    void check_routes();
    template <typename List, typename NameOf>
    void claim(const std::string& kind, List Manifest::*list, NameOf name_of);
    void settle_claims();
    void refuse_to_fixed_point();
    void check_dependencies(std::size_t i);
    void check_subjects(std::size_t i);
    void check_followed(std::size_t i);
    void check_followed(std::size_t i, const std::string& who, const EventType& type);
    bool declares(const std::string& event, std::size_t also) const;
    std::string why_missing(const std::string& what, const std::string& verb) const;
    std::string repair_hint(const std::string& what) const;
    std::string undescribed_hint(const std::string& entity) const;
    void refuse_cycles();
    std::vector<std::string> cycle_from(std::size_t start) const;
    void warn_about_deaf_consumers(std::size_t i);
    std::optional<std::size_t> find(const std::string& id) const;
    std::vector<std::size_t> start_order() const;
    Verdict finish();

    const std::vector<Candidate>& candidates_;
    const Surroundings& around_;
    std::vector<std::size_t> order_;
    std::vector<config::Problems> problems_;
    /// Who declares "event 'csat.requested'", in order of id.
    Claims claims_;
};

void Validation::check_alone(std::size_t i) {
    for (Problem problem : at(i).found) {
        if (problem.plugin.empty()) problem.plugin = at(i).id;
        problems_[i].push_back(std::move(problem));
    }
    if (at(i).manifest == nullptr) return;
    for (Problem problem : check_manifest(*at(i).manifest)) {
        problem.plugin = at(i).id;
        problem.file = at(i).file;
        problems_[i].push_back(std::move(problem));
    }
    const std::string& version = at(i).manifest->version;
    const auto parsed = config::parse_version(version);  // A malformed one is an E21 above.
    if (parsed && at(i).versions && !at(i).versions->contains(*parsed))
        add(i,
            "E53",
            "it is version " + version + ", its manifest accepts '" + at(i).versions->text() + "'",
            "Install another version, or change 'plugin_version' in its manifest");
}

void Validation::check_same_ids() {
    for (std::size_t n = 1; n < order_.size(); ++n) {
        const Candidate& first = at(order_[n - 1]);
        if (first.id != at(order_[n]).id) continue;
        add(order_[n],
            "E50",
            "plugin '" + first.id + "' is already taken from " + first.file,
            "Remove one of the two");
    }
}

template <typename List, typename NameOf>
void Validation::claim(const std::string& kind, List Manifest::*list, NameOf name_of) {
    for (const std::size_t i : order_) {
        if (at(i).manifest == nullptr) continue;
        for (const auto& entry : at(i).manifest->*list) {
            auto& owners = claims_.owners(kind, name_of(entry));
            if (owners.empty() || owners.back() != i) owners.push_back(i);
        }
    }
}

void Validation::check_shared_names() {
    const auto name = [](const auto& spec) { return spec.name; };
    claim("event", &Manifest::event_types, [](const auto& spec) { return spec.type.name(); });
    claim(
        "entity", &Manifest::entity_refs, [](const auto& spec) { return spec.entity_type.name(); });
    claim("consumer", &Manifest::consumers, name);
    claim("consumer", &Manifest::periodic_tasks, name);
    claim("cascade", &Manifest::cascades, name);
    claim("action", &Manifest::actions, name);
    claim("delivery queue", &Manifest::delivery_queues, name);
    claim("notification kind", &Manifest::notification_kinds, name);
    claim("service", &Manifest::services, name);
    claim("command", &Manifest::commands, [](const auto& spec) { return spec.words; });
    for (const std::size_t i : order_) {
        if (at(i).manifest == nullptr) continue;
        for (const EventTypeSpec& spec : at(i).manifest->event_types) {
            for (const std::string& alias : spec.aliases) {
                auto& owners = claims_.owners("event", alias);
                if (std::ranges::find(owners, i) == owners.end()) owners.push_back(i);
            }
        }
    }
    settle_claims();
    check_commands();
    check_routes();
}

// The plugin whose id begins the name keeps it, else the first by id.
void Validation::settle_claims() {
    for (const auto& [what, owners] : claims_.all()) {
        if (owners.size() < 2) continue;
        const auto named = std::ranges::find_if(owners, [&, &name = what](std::size_t i) {
            return name.find("'" + at(i).id + ".") != std::string::npos;
        });
        const std::size_t keeper = named == owners.end() ? owners.front() : *named;
        for (const std::size_t i : owners) {
            if (i == keeper || at(i).id == at(keeper).id) continue;  // E50 has said it.
            add(i,
                "E30",
                what + " is declared by plugin '" + at(keeper).id + "' (" + at(keeper).file +
                    ") as well",
                "Disable one of the two, or rename it");
        }
    }
}

void Validation::check_commands() {
    std::vector<const Manifest*> manifests;
    for (const std::size_t i : order_) manifests.push_back(at(i).manifest);
    for (const CommandClash& clash : command_clashes(manifests)) {
        add(order_[clash.later],
            "E30",
            clash.message + " of plugin '" + at(order_[clash.earlier]).id + "'",
            "Rename one of the two");
    }
}

// The first by id keeps the route.
void Validation::check_routes() {
    std::vector<const Manifest*> manifests;
    for (const std::size_t i : order_) manifests.push_back(at(i).manifest);
    for (const RouteClash& clash : route_clashes(manifests)) {
        const Candidate& keeper = at(order_[clash.earlier]);
        if (at(order_[clash.later]).id == keeper.id) continue;  // E50 has said it.
        add(order_[clash.later],
            "E39",
            clash.message + " of plugin '" + keeper.id + "' (" + keeper.file + ")",
            "Disable one of the two, or change the path");
    }
}

std::optional<std::size_t> Validation::find(const std::string& id) const {
    std::optional<std::size_t> found;
    for (const std::size_t i : order_) {
        if (at(i).id != id) continue;
        if (!refused(i)) return i;
        if (!found) found = i;
    }
    return found;
}

// The first round looks at everybody, so that nothing is told only after something else has been
// repaired; the later ones at who still stands. Each round can only refuse more, so it ends.
void Validation::refuse_to_fixed_point() {
    const auto count = [&] {
        return std::ranges::count_if(order_, [&](std::size_t i) { return refused(i); });
    };
    auto looked_at = order_;
    std::erase_if(looked_at, [&](std::size_t i) { return at(i).manifest == nullptr; });
    for (auto before = std::ptrdiff_t{-1}; before != count();) {
        before = count();
        for (const std::size_t i : looked_at) check_dependencies(i);
        for (const std::size_t i : looked_at) check_subjects(i);
        for (const std::size_t i : looked_at) check_followed(i);
        std::erase_if(looked_at, [&](std::size_t i) { return refused(i); });
    }
}

void Validation::check_dependencies(std::size_t i) {
    for (const std::string& id : at(i).manifest->depends_on) {
        const auto found = find(id);
        if (found && !refused(*found)) continue;
        const std::string what = "it depends on plugin '" + id + "', ";
        if (found) {
            add(i, "E51", what + "which is refused", "Repair '" + id + "' first");
            continue;
        }
        const auto& off = around_.disabled;
        if (std::ranges::find(off, id, &DisabledPlugin::id) != off.end()) {
            add(i, "E51", what + "which is installed but disabled", "Enable '" + id + "'");
            continue;
        }
        std::vector<std::string> ids;
        for (const Candidate& candidate : candidates_) ids.push_back(candidate.id);
        for (const DisabledPlugin& disabled : off) ids.push_back(disabled.id);
        add(i, "E51", what + "which is not installed", suggestion(id, ids));
    }
}

void Validation::check_subjects(std::size_t i) {
    std::set<std::string> described;
    for (const std::size_t other : order_) {
        if (refused(other) && other != i) continue;
        if (at(other).manifest == nullptr) continue;
        for (const EntityRefSpec& spec : at(other).manifest->entity_refs)
            described.emplace(spec.entity_type.name());
    }
    for (const SubjectUse& use : subject_uses(*at(i).manifest)) {
        if (described.contains(use.entity)) continue;
        add(i,
            use.code,
            use.what + " names subject '" + use.entity + "', " +
                why_missing("entity '" + use.entity + "'", "describes"),
            undescribed_hint(use.entity));
    }
}

/// Whether an accepted plugin declares `event`, or `also` does.
bool Validation::declares(const std::string& event, std::size_t also) const {
    return std::ranges::any_of(claims_.of("event '" + event + "'"),
                               [&](std::size_t owner) { return owner == also || !refused(owner); });
}

void Validation::check_followed(std::size_t i) {
    for (const CascadeSpec& spec : at(i).manifest->cascades)
        check_followed(i, "cascade '" + spec.name + "'", spec.parent_event);
    for (const NotificationKindSpec& spec : at(i).manifest->notification_kinds)
        check_followed(i, "notification kind '" + spec.name + "'", spec.event_type);
}

void Validation::check_followed(std::size_t i, const std::string& who, const EventType& type) {
    const std::string event{type.name()};
    if (declares(event, i)) return;
    const std::string what = "event '" + event + "'";
    std::string hint = repair_hint(what);
    if (hint.empty()) hint = suggestion(event, claims_.names("event"));
    add(i, "E36", who + " follows " + what + ", " + why_missing(what, "declares"), hint);
}

std::string Validation::why_missing(const std::string& what, const std::string& verb) const {
    const auto& owners = claims_.of(what);
    if (owners.empty()) return "which no loaded plugin " + verb;
    return "which only plugin '" + at(owners.front()).id + "' " + verb + ", and that is refused";
}

/// Empty if nobody declares `what`.
std::string Validation::repair_hint(const std::string& what) const {
    const auto& owners = claims_.of(what);
    return owners.empty() ? "" : "Repair '" + at(owners.front()).id + "' first";
}

std::string Validation::undescribed_hint(const std::string& entity) const {
    if (std::string hint = repair_hint("entity '" + entity + "'"); !hint.empty()) return hint;
    for (const DisabledPlugin& disabled : around_.disabled) {
        if (!around_.entities_of) break;
        const auto entities = around_.entities_of(disabled);
        if (std::ranges::find(entities, entity) != entities.end())
            return "It is described by plugin '" + disabled.id +
                   "', which is installed but disabled; enable it";
    }
    return suggestion(entity, claims_.names("entity"));
}

// Told once for each cycle; the others in it depend on a refused plugin and say so.
void Validation::refuse_cycles() {
    std::set<std::string> told;
    for (const std::size_t i : order_) {
        if (at(i).manifest == nullptr || told.contains(at(i).id)) continue;
        const std::vector<std::string> path = cycle_from(i);
        if (path.empty()) continue;
        told.insert(path.begin(), path.end());
        std::string text = at(i).id;
        for (const std::string& id : path) text += " -> " + id;
        add(i, "E52", "its dependencies lead back to it: " + text, "Take one of them away");
    }
}

/// The ids on the shortest way from `start` back to it, without the first; empty if there is none.
std::vector<std::string> Validation::cycle_from(std::size_t start) const {
    std::vector<std::vector<std::string>> paths{{}};
    std::vector<std::size_t> ends{start};
    std::set<std::size_t> visited;
    for (std::size_t next = 0; next < ends.size(); ++next) {
        for (const std::string& id : at(ends[next]).manifest->depends_on) {
            const auto found = find(id);
            if (!found || at(*found).manifest == nullptr) continue;
            std::vector<std::string> path = paths[next];
            path.push_back(id);
            if (*found == start) return path;
            if (!visited.insert(*found).second) continue;
            paths.push_back(std::move(path));
            ends.push_back(*found);
        }
    }
    return {};
}

void Validation::warn_about_deaf_consumers(std::size_t i) {
    if (refused(i) || at(i).manifest == nullptr) return;
    for (const ConsumerSpec& consumer : at(i).manifest->consumers) {
        for (const EventType& type : consumer.listens_to) {
            const std::string name{type.name()};
            if (declares(name, i)) continue;  // `i` is not refused.
            add(i,
                "W36",
                "consumer '" + consumer.name + "' waits for event '" + name +
                    "', which no loaded plugin declares",
                "Name the plugin that does in .depends_on");
            problems_[i].back().severity = config::Severity::warning;
        }
    }
}

std::vector<std::size_t> Validation::start_order() const {
    std::vector<std::size_t> waiting;
    std::ranges::copy_if(order_, std::back_inserter(waiting), [&](std::size_t i) {
        return !refused(i) && at(i).manifest != nullptr;
    });
    std::vector<std::size_t> sorted;
    std::set<std::string> started;
    while (!waiting.empty()) {
        const auto ready = std::ranges::find_if(waiting, [&](std::size_t i) {
            return std::ranges::all_of(at(i).manifest->depends_on,
                                       [&](const std::string& id) { return started.contains(id); });
        });
        if (ready == waiting.end()) break;  // Not reached: cycles are refused.
        started.insert(at(*ready).id);
        sorted.push_back(*ready);
        waiting.erase(ready);
    }
    return sorted;
}

Verdict Validation::finish() {
    Verdict verdict{.start_order = start_order()};
    for (const std::size_t i : order_) {
        for (Problem& problem : problems_[i]) {
            if (!at(i).required) problem.severity = config::Severity::warning;
            verdict.problems.push_back(std::move(problem));
        }
    }
    return verdict;
}

}  // namespace

Verdict validate(const std::vector<Candidate>& candidates, const Surroundings& around) {
    return Validation{candidates, around}.run();
}

}  // namespace radd::loader
