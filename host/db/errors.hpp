#pragma once

/// How a commit can fail, beside the errors of the SDK.

#include <radd/error.hpp>

namespace radd::db {

/// PostgreSQL answered COMMIT with ROLLBACK: an earlier error had been swallowed. Nothing landed.
class CommitFailed : public Error {
public:
    using Error::Error;
};

/// The connection died between sending COMMIT and its answer: it may have landed or not.
class CommitInDoubt : public Unavailable {
public:
    using Unavailable::Unavailable;
};

}  // namespace radd::db
