#include <host/plugins/build_gate.hpp>
#include <host/plugins/child.hpp>
#include <host/plugins/crash_watch.hpp>
#include <host/plugins/known_builds.hpp>

namespace radd::loader {
namespace {

config::Problem kept_out(const Newcomer& newcomer, const KnownBuild& known) {
    return {
        .code = "E18",
        .plugin = newcomer.plugin,
        .file = newcomer.library.file,
        .message = "this build is kept out since " + time_text(known.since) + ": " + known.reason,
        .hint =
            "Put a repaired build there, or have this one tried again: radd quarantine "
            "clear " +
            newcomer.plugin};
}

config::Problem warning(const std::string& fault, std::string hint) {
    return {.code = "W18",
            .severity = config::Severity::warning,
            .message = fault,
            .hint = std::move(hint)};
}

class Gate {
public:
    Gate(std::span<const Newcomer> newcomers, const GateOptions& options)
        : newcomers_{newcomers}, options_{options} {
        if (!options.memory_dir.empty()) known_ = KnownBuilds{builds_file(options.memory_dir)};
        verdict_.refused.resize(newcomers.size());
    }

    GateVerdict judge() {
        if (!known_.fault().empty())
            verdict_.warnings.push_back(
                warning(known_.fault(), "Every plugin is tried anew; remove the file"));
        const bool writes = options_.remembers && !options_.memory_dir.empty();
        if (writes) take_crashes(crash_file(options_.memory_dir), known_);
        const auto strangers = find_strangers();
        if (!strangers.empty() && may_fork(options_.idle_threads)) try_all(strangers);
        if (writes) remember();
        return std::move(verdict_);
    }

private:
    /// Refuses who is kept out, and returns who has to be tried.
    std::vector<std::size_t> find_strangers() {
        std::vector<std::size_t> strangers;
        for (std::size_t i = 0; i < newcomers_.size(); ++i) {
            const KnownBuild* const known = known_.find(newcomers_[i].build);
            if (known != nullptr && !known->reason.empty())
                verdict_.refused[i] = kept_out(newcomers_[i], *known);
            else if (known == nullptr || !known->passed)
                strangers.push_back(i);
        }
        return strangers;
    }

    void try_all(const std::vector<std::size_t>& strangers) {
        std::vector<Untried> libraries;
        for (const std::size_t i : strangers) libraries.push_back(newcomers_[i].library);
        std::vector<Tried> results;
        try {
            results = try_out(libraries, options_.deadline);
        } catch (const Error& failure) {
            verdict_.warnings.push_back(
                warning(failure.what(), "New builds of plugins are opened without a trial"));
            return;
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Newcomer& newcomer = newcomers_[strangers[i]];
            const Tried& tried = results[i];
            if (tried.passed) known_.pass(newcomer.plugin, newcomer.build, options_.now);
            if (!tried.problem) continue;
            known_.keep_out(newcomer.plugin,
                            newcomer.build,
                            tried.problem->code + ' ' + tried.problem->message,
                            options_.now);
            verdict_.refused[strangers[i]] = tried.problem;
        }
    }

    void remember() {
        try {
            known_.write();
        } catch (const Error& failure) {
            verdict_.warnings.push_back(
                warning(failure.what(), "New builds of plugins are tried at every start"));
        }
    }

    std::span<const Newcomer> newcomers_;
    const GateOptions& options_;
    KnownBuilds known_{{}};
    GateVerdict verdict_;
};

}  // namespace

GateVerdict let_in(std::span<const Newcomer> newcomers, const GateOptions& options) {
    return Gate{newcomers, options}.judge();
}

std::filesystem::path builds_file(const std::filesystem::path& memory_dir) {
    return memory_dir / "builds.json";
}

}  // namespace radd::loader
