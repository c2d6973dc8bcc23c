#pragma once

/// Rules as they are kept: what people set about them, and the events that say so.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rule.hpp"
#include <radd/services.hpp>

namespace automations {

struct Rule {
    std::int64_t id = 0;
    RuleDraft draft{};
    std::optional<std::string> plugin{};  ///< Who brought it; its text is changed there alone.
    std::optional<std::string> disabled_reason{};
    std::optional<std::string> next_run_at{};
    std::string created_at{};
    std::string updated_at{};
    std::vector<std::string> problems{};  ///< Why it cannot run with the plugins that are loaded.
};

/// With `state`: on, off, or unavailable while it is on and has problems.
[[nodiscard]] radd::json to_json(const Rule& rule);

/// Made, changed and removed in the caller's transaction, each with its event by `actor`.
class Rules {
public:
    explicit Rules(radd::Services& host) : host_{host} {}

    [[nodiscard]] std::vector<Rule> list(radd::Transaction& tx) const;
    [[nodiscard]] std::optional<Rule> find(radd::Transaction& tx, std::int64_t id) const;
    /// To be written back changed: nobody else changes it before the commit.
    [[nodiscard]] std::optional<Rule> find_to_change(radd::Transaction& tx, std::int64_t id) const;
    /// By its name, or by its id in digits.
    [[nodiscard]] std::optional<Rule> find(radd::Transaction& tx,
                                           std::string_view id_or_name) const;

    /// In order of id. Without dates and problems, and without the rules of plugins that do not
    /// bring them to this host; one whose definition cannot be read is disabled.
    [[nodiscard]] std::vector<Rule> started_by(radd::Transaction& tx,
                                               std::string_view event_type,
                                               std::optional<std::int64_t> project_id) const;
    /// The rule whose time has come first, locked; empty: none. As started_by().
    [[nodiscard]] std::optional<Rule> due(radd::Transaction& tx) const;

    /// @throws radd::InvalidInput naming the place; a rule with problems is refused.
    std::int64_t create(radd::Transaction& tx,
                        const RuleDraft& draft,
                        const std::optional<std::string>& actor);
    /// False: there is none. @throws radd::InvalidInput as create(), and for a rule of a plugin if
    /// anything but `enabled` differs.
    bool update(radd::Transaction& tx,
                std::int64_t id,
                const RuleDraft& draft,
                const std::optional<std::string>& actor);
    bool remove(radd::Transaction& tx, std::int64_t id, const std::optional<std::string>& actor);

    /// By the plugin itself: once, with its event by the system actor.
    static void disable(radd::Transaction& tx, std::int64_t id, const std::string& reason);

    /// Sets when the clock starts it next, from now.
    static void schedule(radd::Transaction& tx, std::int64_t id, const Trigger& trigger);

    /// Brings in the rules that loaded plugins declare, and disables those that a loaded plugin
    /// declares no more. Those of a plugin that is not loaded here, or has nothing in the
    /// catalogue, are left as they are and told in the log: another host may load it. A rule of
    /// theirs that is wrong is told in the log and not brought in; one that cannot run is there and
    /// says why.
    void bring_in(radd::Transaction& tx);

private:
    [[nodiscard]] Rule with_problems(Rule rule) const;
    [[nodiscard]] std::optional<Rule> readable(radd::Transaction& tx, const radd::Row& row) const;
    void check(radd::Transaction& tx, const RuleDraft& draft) const;
    void bring_in_one(radd::Transaction& tx,
                      const std::string& name,
                      const std::string& plugin,
                      const radd::json& definition);
    void disable_orphans(radd::Transaction& tx, const std::vector<std::string>& brought);
    [[nodiscard]] std::string events_of(const RuleDraft& draft) const;
    [[nodiscard]] std::string subjects_of(const RuleDraft& draft) const;

    radd::Services& host_;
};

}  // namespace automations
