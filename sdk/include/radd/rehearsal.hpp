#pragma once

/// Doing work to see what it would do.

#include <radd/export.hpp>

namespace radd {

/// Events that this thread emits inside the block are checked as ever, refs and all, and then go
/// nowhere: for a transaction that will be rolled back, however much it emits. Without it a large
/// one would draw ids early, and every reader of the stream would wait for them until it ends.
///
///     database.transact([&](Transaction& tx) {
///         const Rehearsal rehearsal;
///         everything(tx);
///         throw RehearsalDone{};
///     });
///
/// A transaction that emitted inside such a block cannot be committed: Database::transact() throws
/// Error and rolls it back. Nested blocks are one. Events of SQL, triggers and radd.emit(), are
/// rows as ever and are rolled back with the rest.
class [[nodiscard]] RADD_EXPORT Rehearsal {
public:
    Rehearsal() noexcept;
    Rehearsal(const Rehearsal&) = delete;
    Rehearsal& operator=(const Rehearsal&) = delete;
    ~Rehearsal();

    /// Whether the calling thread is inside one.
    [[nodiscard]] static bool active() noexcept;

private:
    bool before_;
};

}  // namespace radd
