#pragma once

/// The words and flags of `radd`, and which function each command runs.

#include <functional>
#include <string_view>

#include <CLI/CLI.hpp>

#include <host/cli/command_line.hpp>

namespace radd::cli {

/// What an option or argument takes, in capitals in its synopsis; completion goes by it.
namespace takes {
inline constexpr const char* consumer = "CONSUMER";
inline constexpr const char* queue = "QUEUE";
inline constexpr const char* event_type = "TYPE";
inline constexpr const char* file = "FILE";
inline constexpr const char* known_name = "DECLARED";
inline constexpr const char* plugin = "PLUGIN";
inline constexpr const char* directory = "DIRECTORY";
inline constexpr const char* boolean = "true|false";
}  // namespace takes

/// "TYPE", "table|json|asyncapi"; empty for a flag.
[[nodiscard]] std::string taken_by(const CLI::Option& option);

inline constexpr const char* settings_group = "Settings";

/// A setting that is true or false. Alone it means true.
[[nodiscard]] bool is_switch(const CLI::Option& option);

/// Whether `word` behind the option is its value: of a switch only if it is one.
[[nodiscard]] bool takes_next(const CLI::Option& option, std::string_view word);

/// The parser, which fills what it is given. Its values live as long as chosen().
class Grammar {
public:
    explicit Grammar(Parsed& parsed);
    Grammar(const Grammar&) = delete;
    Grammar& operator=(const Grammar&) = delete;

    [[nodiscard]] CLI::App& app() noexcept { return app_; }
    /// The command that a parse has met; empty before and if there was none.
    [[nodiscard]] const std::function<int(Invocation&)>& chosen() const noexcept { return chosen_; }

private:
    using Command = std::function<int(Invocation&)>;

    void add_settings();
    CLI::App& add(CLI::App& parent, const char* name, const char* help, Command run);
    CLI::App& group(const char* name, const char* help);
    void add_service_commands();
    void add_author_commands();
    void add_quarantine_commands();
    void add_migrate();
    void add_catalog();
    void add_completion();
    void add_event_commands();
    void add_emit(CLI::App& events);
    void add_query(CLI::App& events);
    void add_tail(CLI::App& events);
    void add_account_commands();
    void add_token_commands();
    void add_consumer_commands();
    void add_consumer_repairs(CLI::App& consumers);
    void add_delivery_commands();
    void add_delivery_list(CLI::App& deliveries);
    void add_delivery_repairs(CLI::App& deliveries);
    CLI::App& add_named(CLI::App& consumers, const char* verb, const char* help, Command run);

    Parsed& parsed_;
    Command chosen_;
    std::shared_ptr<std::string> consumer_ = std::make_shared<std::string>();
    bool retry_all_ = false;  ///< What retry does without --event; asked for in words all the same.
    bool all_dead_ = false;   ///< The same for replay without --id.
    bool follow_ = false;     ///< What tail does without --no-follow; as tail(1) spells it.
    CLI::App app_{"A plugin host for transactional-outbox consumers on PostgreSQL.", "radd"};
};

}  // namespace radd::cli
