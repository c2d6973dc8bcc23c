/// Hands mails to one SMTP relay, for every plugin that has something to say.

#include <array>
#include <chrono>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>

#include "rule_mail.hpp"
#include "smtp.hpp"
#include <radd/plugin.hpp>

using namespace std::chrono_literals;

namespace mail {
namespace {

constexpr std::array<std::pair<std::string_view, Security>, 3> securities{{
    {"none", Security::none},
    {"starttls", Security::starttls},
    {"tls", Security::tls},
}};

Security security_named(std::string_view name) {
    for (const auto& [known, security] : securities) {
        if (known == name) return security;
    }
    throw radd::ConfigError{"setting 'security': unknown value"};
}

std::unique_ptr<radd::Mailer> make_mailer(radd::Services& host) {
    const radd::Settings& settings = host.settings();
    return std::make_unique<SmtpMailer>(
        Relay{.host = settings.text("host"),
              .port = static_cast<std::uint16_t>(settings.integer("port")),
              .security = security_named(settings.text("security")),
              .username = settings.text("username"),
              .password = settings.text("password"),
              .ca_file = settings.text("ca_file"),
              .timeout = settings.duration("timeout")},
        Sender{.address = settings.text("from_address"),
               .name = settings.text("from_name"),
               .instance = host.public_url()},
        host.clock());
}

int send_test(radd::CommandContext& command) {
    if (command.arguments.size() != 1) return 2;

    const radd::Mail mail{
        .to = command.arguments.front(),
        .subject = "Test mail",
        .text = "This instance can send mail: " + command.host.public_url() + "\n",
        .idempotency_key = "mail.test/" + std::to_string(command.host.random().bits())};
    try {
        command.host.get<radd::Mailer>().send(mail);
    } catch (const radd::MailRefused& error) {
        command.err << error.what() << '\n';
        return 1;
    } catch (const radd::Unavailable& error) {
        command.err << error.what() << '\n';
        return 1;
    }
    if (command.json) command.out << radd::json{{"to", mail.to}, {"state", "sent"}}.dump() << '\n';
    command.err << "the relay took the mail\n";
    return 0;
}

std::vector<radd::SettingSpec> settings() {
    return {
        radd::text("host", "localhost", "The relay's name or address."),
        radd::integer("port", 25, {1, 65535}, "25 to relay, 587 with starttls, 465 with tls."),
        radd::choice("security", "none", {"none", "starttls", "tls"}, "How the relay is reached."),
        radd::text("username", "", "Empty: no login. Needs starttls or tls."),
        radd::secret("password", "Of that user."),
        radd::text("ca_file", "", "Trusted certificates, PEM. Empty: what this system trusts."),
        radd::text("from_address", "radd@localhost", "Who the mails come from."),
        radd::text("from_name", "", "The name shown beside that address."),
        radd::duration("timeout", timeout_max, {1s, timeout_max}, "For one mail."),
    };
}

radd::Manifest manifest() {
    return {
        .id = "mail",
        .version = RADD_PLUGIN_VERSION,
        .description = "Sends mail over one SMTP relay.",
        .settings = settings(),
        .services = {radd::provide<radd::Mailer>(make_mailer)},
        .actions = actions(),
        .delivery_queues = {rule_queue()},
        .commands = {{.words = "mail test",
                      .usage = "ADDRESS",
                      .help = "Sends one test mail.\nShows at once whether the relay, the login "
                              "and the certificate are right.",
                      .run = send_test}},
        // Made at the start, so that a wrong setting stops the boot and not the first mail.
        .on_startup = [](radd::Services& host) { (void)host.get<radd::Mailer>(); },
    };
}

}  // namespace
}  // namespace mail

RADD_PLUGIN(mail::manifest)
