// From the connection to a handler's thread and back.

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include <host/web/server_state.hpp>

namespace radd::web {
namespace {

using std::chrono::steady_clock;

/// How often who waits for a handler looks whether the database has gone.
constexpr std::chrono::milliseconds look_every{200};

constexpr int too_many_requests = 429;
constexpr int unavailable = 503;

ProblemDetails too_many_of_caller() {
    return {.status = too_many_requests,
            .detail = "more than " + std::to_string(requests_waiting_of_caller_max) +
                      " requests of yours wait already; send fewer at a time",
            .headers = {{"Retry-After", "1"}}};
}

/// What to say to whoever is not kept waiting for a handler.
ProblemDetails given_up(const Call& call, bool was_begun, bool is_away) {
    if (!was_begun) {
        if (is_away) return database_is_away();
        return {.status = unavailable,
                .detail = "this was not begun: too much else is under way; try again"};
    }
    if (call.route->spec.method == HttpMethod::get) {
        if (is_away) return database_is_away();
        return {.status = unavailable, .detail = "this took too long; try again"};
    }
    return {.status = unavailable,
            .detail = std::string{is_away ? "the database went away while this was under way"
                                          : "this took too long and goes on without you"} +
                      "; look what has become of it before you send it again",
            .type = problem_commit_in_doubt};
}

}  // namespace

asio::awaitable<Outgoing> ServerState::answer(Connection& connection,
                                              std::shared_ptr<const Call> call) {
    if (call->lane == Lane::decided) co_return call->answer;
    auto exchange = std::make_shared<Exchange>(shared_from_this(), call, asio::steady_timer{io});
    auto& pool = call->lane == Lane::vital ? vital : handlers;
    const bool accepted = pool.submit([exchange] { exchange->state->admit(exchange); });
    if (!accepted) {
        const ProblemDetails busy{.status = unavailable,
                                  .detail = "too many requests wait already; try again"};
        co_return dispatcher.refuse(*call, busy);
    }
    co_return co_await handled(connection, exchange);
}

/// Waits for the handler; not longer than it may take, and not while the database is away.
asio::awaitable<Outgoing> ServerState::handled(Connection& connection,
                                               std::shared_ptr<Exchange> exchange) {
    const auto end = steady_clock::now() + options.request_timeout;
    const bool needs_database = exchange->call->lane == Lane::handlers;
    bool is_away = false;
    connection.waiting = &exchange->wake;
    while (!exchange->answer && steady_clock::now() < end && !stopping) {
        is_away = needs_database && dispatcher.is_database_away();
        if (is_away) break;
        exchange->wake.expires_at(std::min(end, steady_clock::now() + look_every));
        co_await exchange->wake.async_wait(as_result);
    }
    connection.waiting = nullptr;
    if (exchange->answer) co_return std::move(*exchange->answer);
    const bool was_begun = exchange->is_taken.exchange(true);
    const ProblemDetails problem = given_up(*exchange->call, was_begun, is_away);
    co_return dispatcher.refuse(*exchange->call, problem);
}

/// On a handler's thread: who asks, and whether it is their turn.
void ServerState::admit(const std::shared_ptr<Exchange>& exchange) {
    if (exchange->is_taken) return;
    const auto admission = std::make_shared<Admission>(dispatcher.admit(*exchange->call));
    if (admission->refusal) return deliver(exchange, *std::move(admission->refusal));
    if (exchange->call->lane == Lane::vital) return work_on(exchange, *admission);

    const auto job = [exchange, admission] {
        ServerState& state = *exchange->state;
        state.work_on(exchange, *admission);
        state.pass_turn(admission->caller);
    };
    const Turn turn = turns.take(admission->caller, job);
    if (turn == Turn::now) job();
    if (turn != Turn::never) return;
    Outgoing refusal = dispatcher.refuse(*exchange->call, too_many_of_caller());
    if (admission->identity) refusal.principal_id = admission->identity->principal.id;
    deliver(exchange, std::move(refusal));
}

/// Has `task`, which must not throw, done on a handler's thread once it is the caller's turn.
/// False: too much of theirs or of everybody's waits, and nothing happens.
bool ServerState::submit_in_turn(const std::string& caller, const std::function<void()>& task) {
    const auto job = [this, caller, task] {
        task();
        pass_turn(caller);
    };
    const Turn turn = turns.take(caller, job);
    if (turn != Turn::now) return turn == Turn::later;
    if (handlers.submit(job)) return true;
    pass_turn(caller);
    return false;
}

/// Somebody's turn has ended: what of theirs has waited longest has it now.
void ServerState::pass_turn(const std::string& caller) {
    if (auto next = turns.give_back(caller)) handlers.readmit(std::move(next));
}

void ServerState::work_on(const std::shared_ptr<Exchange>& exchange, const Admission& admission) {
    if (exchange->is_taken.exchange(true)) return;
    deliver(exchange, dispatcher.answer(*exchange->call, admission));
}

void ServerState::deliver(const std::shared_ptr<Exchange>& exchange, Outgoing answer) {
    // Left behind by stop(): nobody waits, and what is posted would keep the state for ever.
    if (io.stopped()) return;
    const auto outgoing = std::make_shared<Outgoing>(std::move(answer));
    asio::post(io, [exchange, outgoing] {
        exchange->answer = std::move(*outgoing);
        exchange->wake.cancel();
    });
}

}  // namespace radd::web
