#include <iostream>
#include <ostream>

#include <host/cli/application.hpp>
#include <host/cli/command_line.hpp>
#include <host/config/problem.hpp>
#include <host/installation.hpp>
#include <host/plugins/plugin_set.hpp>
#include <unistd.h>

namespace radd::cli {
namespace {

/// Whether `stream` is the process's standard error and a person reads it.
bool is_terminal(const std::ostream& stream) {
    return &stream == &std::cerr && isatty(STDERR_FILENO) == 1;
}

void print_problems(Invocation& invocation, const config::Problems& problems) {
    if (invocation.json) invocation.out << config::to_json(problems) << '\n';
    for (const auto& problem : problems) invocation.err << config::to_text(problem) << '\n';
}

/// Runs `command`; what it throws becomes one line and an exit code.
int guarded(Invocation& invocation, const std::function<int(Invocation&)>& command) {
    const auto failed = [&](const std::exception& failure, int code) {
        invocation.err << "radd: " << failure.what() << '\n';
        return code;
    };
    try {
        return command(invocation);
    } catch (const host::Refused& refused) {
        print_problems(invocation, refused.problems());
        return exit_refused;
    } catch (const loader::StartFailed& failure) {
        return failed(failure, exit_no_start);
    } catch (const InvalidInput& failure) {
        return failed(failure, exit_failed);
    } catch (const ConfigError& failure) {
        return failed(failure, exit_no_start);
    } catch (const Unavailable& failure) {
        return failed(failure, exit_no_start);
    } catch (const std::exception& failure) {
        return failed(failure, exit_failed);
    }
}

void print_help(const Parsed& parsed, Invocation& invocation) {
    std::ostream& stream = parsed.code == exit_ok ? invocation.out : invocation.err;
    stream << parsed.text;
    if (!parsed.wants_help) return;
    const auto commands = plugin_command_help(invocation);
    if (commands.empty()) return;
    stream << "\nCommands of plugins:\n";
    for (const auto& [usage, help] : commands)
        stream << "  " << usage << "\n      " << help << '\n';
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    const Parsed parsed = parse(arguments);
    Invocation invocation{.settings = parsed.settings,
                          .json = parsed.json,
                          .interactive = is_terminal(err),
                          .out = out,
                          .err = err};
    if (parsed.command) return guarded(invocation, parsed.command);
    if (parsed.plugin_words.empty()) {
        print_help(parsed, invocation);
        return parsed.code;
    }
    return guarded(invocation, [&](Invocation& call) {
        if (const auto code = plugin_command(call, parsed.plugin_words)) return *code;
        call.err << "radd: unknown command '" << parsed.plugin_words.front()
                 << "'; `radd --help` lists all\n";
        return static_cast<int>(exit_usage);
    });
}

}  // namespace radd::cli
