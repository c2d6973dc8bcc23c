#pragma once

/// The settle rule: which rows are final, so that none can still appear before them.
///
/// An id is drawn at insert and becomes visible at commit. nextval() holds RowExclusiveLock on the
/// sequence from before the draw to the end of the transaction, so an id that is missing, at or
/// below the head, and held by nobody was rolled back. Three orders matter and are kept here: the
/// head is read before the holders, the holders before the rows, and the rows in a statement of
/// their own, whose snapshot is therefore younger. The head is that of radd.drawn(): a plain look
/// at the sequence may be 32 ids ahead, and what is taken for final then is not.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <host/db/session.hpp>
#include <host/outbox/event_reader.hpp>

namespace radd::outbox {

/// Walks the stream on one session. What it knows of holders is worth nothing on another
/// connection, so it lives and dies with the session. One thread at a time.
class Settling {
public:
    Settling(db::Session& session, EventReader& reader) : session_{session}, reader_{reader} {}

    /// Starts at the mark in radd.stream, brought up to date first, and returns the id of the last
    /// row at or below it. @throws as Session::query(); SqlError if the sequence was set back.
    std::int64_t start();

    struct Step {
        std::vector<SharedEvent> events{};  ///< Final, next in order.
        bool more = false;                  ///< The limits ended this step; go on at once.
    };
    /// One cheap statement when nothing was drawn; up to four at a hole. @throws as query().
    [[nodiscard]] Step step();

    /// Brings radd.stream up to date for readers in SQL. @throws as Session::query().
    void publish();

    [[nodiscard]] std::int64_t settled() const noexcept { return base_; }
    [[nodiscard]] std::int64_t published() const noexcept { return published_; }
    [[nodiscard]] std::int64_t head() const noexcept { return head_; }  ///< Last id drawn.
    [[nodiscard]] bool is_blocked() const noexcept { return blocked_; }

    /// The virtual transaction that may own the lowest id that is not final; empty if none.
    [[nodiscard]] std::string holder() const;

private:
    void look();
    [[nodiscard]] bool take(Step& step);

    db::Session& session_;
    EventReader& reader_;
    std::int64_t base_ = 0;  ///< Every id up to here was handed out, or will never be visible.
    std::int64_t mark_ = 0;  ///< Every id up to here is final.
    std::int64_t head_ = 0;
    std::int64_t head_at_look_ = 0;
    std::int64_t published_ = 0;
    std::map<std::string, std::int64_t> lows_{};  ///< All ids of the holder are above this.
    bool blocked_ = false;
};

}  // namespace radd::outbox
