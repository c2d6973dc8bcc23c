/// Shows what happens as it happens: a feed of the stream for pages and programs.

#include <memory>
#include <utility>

#include "filter.hpp"
#include "hub.hpp"
#include "session.hpp"
#include <radd/plugin.hpp>

namespace realtime {
namespace {

class Ear final : public radd::TailSubscriber {
public:
    explicit Ear(Hub& hub) : hub_{hub} {}

    void began(std::int64_t head) override { hub_.began(head); }
    void heard(const radd::Event& event) override { hub_.heard(event); }
    void missed(std::int64_t, std::int64_t through) override { hub_.missed(through); }

private:
    Hub& hub_;
};

radd::StreamSpec feed(radd::StreamKind kind, std::string path, std::string description) {
    return {.kind = kind,
            .path = std::move(path),
            .access = radd::Access::member,
            .summary = "Follow the stream of events",
            .description = std::move(description),
            .tag = "Events",
            .query = query_parameters(),
            .open = [](const radd::HttpRequest& request, radd::Services& host) {
                return std::make_unique<Session>(host.get<Hub>(),
                                                 host.event_log(),
                                                 request.principal->role,
                                                 filter_of(request),
                                                 last_seen(request));
            }};
}

radd::Manifest manifest() {
    return {
        .id = "realtime",
        .version = RADD_PLUGIN_VERSION,
        .description = "Shows what happens as it happens, by SSE and WebSocket.",
        .services = {radd::provide<Hub>(
            [](radd::Services& host) { return std::make_unique<Hub>(host.event_log()); })},
        .tail_subscribers = {{.name = "realtime.ear",
                              .make = [](radd::Services& host)
                                  -> std::unique_ptr<radd::TailSubscriber> {
                                  return std::make_unique<Ear>(host.get<Hub>());
                              }}},
        .streams = {feed(radd::StreamKind::events,
                         "/api/v1/stream",
                         "Server-Sent Events, each as /api/v1/events shows it and with its id. "
                         "Silent events are not in it, nor what the client's role may not read. It "
                         "begins with the event `ready`, which "
                         "names the head, or, for a client that sends Last-Event-ID, with what "
                         "that has missed. Where that is more than 10,000 ids, or the id lies "
                         "beyond the stream, the event `reset` says so once: load what you show "
                         "again."),
                    feed(radd::StreamKind::websocket,
                         "/api/v1/stream/ws",
                         "The same over a WebSocket, a text message for each: an event, "
                         "`{\"ready\": …}` or `{\"reset\": …}`.")}};
}

}  // namespace
}  // namespace realtime

RADD_PLUGIN(realtime::manifest)
