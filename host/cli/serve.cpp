// radd serve.

#include <exception>
#include <ostream>

#include <host/cli/accounts.hpp>
#include <host/cli/commands.hpp>
#include <host/cli/service_manager.hpp>
#include <host/host.hpp>

namespace radd::cli {

int serve(Invocation& invocation) {
    host::Installation installation{invocation.settings};
    ServiceManager manager;
    manager.status("starting");
    host::Host host{installation};
    try {
        host.start();
    } catch (const host::Interrupted& stop) {
        installation.log().info(stop.what());
        return exit_ok;
    } catch (const std::exception& failure) {
        if (host.stop()) throw;
        // A thread still uses what unwinding would destroy.
        invocation.err << "radd: " << failure.what() << '\n' << std::flush;
        host.end_now(exit_no_start);
    }
    // Before it says that it is ready: who asks the database here hears no signal.
    announce_first_admin(invocation, installation);
    const auto& plugins = installation.load_plugins().plugins();
    installation.log().info("ready: " + std::to_string(plugins.size()) + " plugins" +
                            (installation.settings().run_workers
                                 ? ""
                                 : "; workers are off, no consumer runs in this process") +
                            "; open " + host.url());
    manager.ready(host.condition().text);
    host.wait_for_signal([&] {
        const auto condition = host.condition();
        manager.status(condition.text);
        manager.alive(condition.silent_for);
    });
    manager.stopping();
    installation.log().info("stopping");
    if (!host.stop()) {
        installation.log().error("stopped before everything had ended");
        invocation.out.flush();
        host.end_now(exit_failed);
    }
    installation.log().info("stopped");
    return exit_ok;
}

}  // namespace radd::cli
