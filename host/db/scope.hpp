#pragma once

/// A transaction of the host itself on a session.

#include <host/db/session.hpp>

namespace radd::db {

/// Rolled back unless it was committed.
class Scope {
public:
    explicit Scope(Session& session) : session_{session} { session_.begin(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
        if (open_) session_.rollback();
    }
    void commit() {
        open_ = false;
        session_.commit();
    }

private:
    Session& session_;
    bool open_ = true;
};

}  // namespace radd::db
