#include <iostream>
#include <ostream>

#include <nlohmann/json.hpp>

#include <host/cli/application.hpp>
#include <host/cli/command_line.hpp>
#include <host/cli/escaped_output.hpp>
#include <host/cli/plugin_manual.hpp>
#include <host/config/environment.hpp>
#include <host/config/problem.hpp>
#include <host/config/suggest.hpp>
#include <host/installation.hpp>
#include <host/plugins/guarded.hpp>
#include <host/plugins/plugin_set.hpp>
#include <radd/terminal_text.hpp>

namespace radd::cli {
namespace {

std::string_view reason_of(int code) {
    for (const auto& known : exit_codes) {
        if (known.code == code) return known.name;
    }
    return "failed";
}

/// The one place where a command's failure is put into words: a line, or an object.
int failed(Invocation& invocation,
           const std::string& message,
           int code,
           const config::Problems& problems = {}) {
    if (!invocation.json) {
        for (const auto& problem : problems) invocation.err << config::to_text(problem) << '\n';
        if (problems.empty()) invocation.err << "radd: " << terminal_lines(message) << '\n';
        return code;
    }
    nlohmann::ordered_json object{
        {"error", message}, {"exit_code", code}, {"reason", reason_of(code)}};
    if (!problems.empty())
        object["problems"] = nlohmann::ordered_json::parse(config::to_json(problems));
    using Json = nlohmann::ordered_json;
    invocation.err << object.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    return code;
}

/// Runs `command`; what it throws becomes one line and an exit code.
int guarded(Invocation& invocation, const std::function<int(Invocation&)>& command) {
    try {
        return command(invocation);
    } catch (const host::Refused& refused) {
        return failed(invocation,
                      "refused: a manifest, a setting or a plugin is wrong",
                      exit_refused,
                      refused.problems());
    } catch (const loader::StartFailed& failure) {
        return failed(invocation, failure.what(), exit_no_start);
    } catch (const InvalidInput& failure) {
        return failed(invocation, failure.what(), exit_failed);
    } catch (const ConfigError& failure) {
        return failed(invocation, failure.what(), exit_no_start);
    } catch (const Unavailable& failure) {
        return failed(invocation, failure.what(), exit_no_start);
    } catch (const std::exception& failure) {
        return failed(invocation, failure.what(), exit_failed);
    } catch (...) {
        return failed(invocation, loader::caught_text(nullptr), exit_failed);
    }
}

void print_help(const Parsed& parsed, Invocation& invocation) {
    std::ostream& stream = parsed.code == exit_ok ? invocation.out : invocation.err;
    stream << parsed.text;
    if (!parsed.wants_help) return;
    const auto commands = plugin_command_help(invocation);
    if (commands.empty()) return;
    stream << "\nCOMMANDS OF PLUGINS\n";
    for (const auto& [command, help] : commands) stream << manual_entry(command, help);
}

/// Words that the kernel does not know: a plugin's, or a slip of the finger.
int run_plugin_command(Invocation& invocation, const std::vector<std::string>& words) {
    const auto unknown = [&](std::vector<std::string> known) {
        for (const auto& [command, help] : plugin_command_help(invocation))
            known.push_back(command.substr(0, command.find(' ')));
        return failed(invocation, unknown_command(words.front(), known), exit_usage);
    };
    if (words.front().starts_with('-')) return unknown(kernel_commands());
    return guarded(invocation, [&](Invocation& call) {
        try {
            if (const auto code = plugin_command(call, words)) return *code;
        } catch (const host::Refused&) {
            // Plugins that cannot be asked are no reason to explain them to who typed `chekc`.
            if (config::did_you_mean(words.front(), kernel_commands()).empty()) throw;
        }
        return unknown(kernel_commands());
    });
}

int run_parsed(const Parsed& parsed, Invocation& invocation) {
    if (parsed.command) return guarded(invocation, parsed.command);
    if (!parsed.plugin_words.empty()) return run_plugin_command(invocation, parsed.plugin_words);
    const bool is_page = parsed.code == exit_ok || parsed.wants_help;
    if (!is_page) return failed(invocation, parsed.text, parsed.code);
    print_help(parsed, invocation);
    return parsed.code;
}

/// What was printed must have arrived, unless nobody wants it any more: `radd events query | head`.
int flushed(Invocation& invocation, int code) {
    if (invocation.out.flush() || reader_has_gone(invocation.out)) return code;
    return failed(
        invocation, "standard output: what was printed could not be written", exit_failed);
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    const EscapedOutput escaped_out{out};
    const EscapedOutput escaped_err{err};
    const Parsed parsed = parse(arguments);
    Invocation invocation{
        .settings = parsed.settings,
        .json = parsed.json,
        .interactive = is_watched(err),
        .terminal = terminal_of(out, config::lookup_in(config::process_environment())),
        .out = out,
        .err = err};
    return flushed(invocation, run_parsed(parsed, invocation));
}

}  // namespace radd::cli
