#include <utility>

#include <host/outbox/transaction.hpp>
#include <host/outbox/working.hpp>

namespace radd::outbox {

struct OutboxDatabase::State {
    db::Pool& pool;
    const Catalog& catalog;
    EmitPolicy policy;
    Log& log;
    std::string purpose;
    std::function<void()> committed;
};

OutboxDatabase::OutboxDatabase(db::Pool& pool,
                               const Catalog& catalog,
                               EmitPolicy policy,
                               Log& log,
                               std::string purpose,
                               std::function<void()> committed)
    : state_{std::make_unique<State>(State{.pool = pool,
                                           .catalog = catalog,
                                           .policy = policy,
                                           .log = log,
                                           .purpose = std::move(purpose),
                                           .committed = std::move(committed)})} {}

OutboxDatabase::~OutboxDatabase() = default;

void OutboxDatabase::do_transact(const std::function<void(Transaction&)>& work) {
    if (Working::active()) {
        throw Error{
            "database: transact() inside a transaction: it would commit on its own, and may wait "
            "for a second session for ever; use the transaction you were given, or do it after its "
            "end"};
    }
    OutboxTransaction tx{
        state_->pool, state_->catalog, state_->policy, state_->log, state_->purpose};
    {
        const Working working;
        work(tx);  // A throw rolls back: the transaction ends with its scope.
    }
    const bool has_events = tx.events_emitted() > 0;
    tx.commit();
    if (has_events && state_->committed) state_->committed();
}

}  // namespace radd::outbox
