#pragma once

/// The one loss of the database after which nobody knows what has been done.

#include <radd/error.hpp>
#include <radd/export.hpp>

namespace radd {

/// The connection was lost between sending COMMIT and its answer: the work may have landed or not.
/// Whoever does it again without looking may do it twice. The host answers a request with 500 and
/// the type problem_commit_in_doubt; a consumer's runner reads its cursor to find out.
class RADD_EXPORT CommitInDoubt : public Unavailable {
public:
    using Unavailable::Unavailable;
    ~CommitInDoubt() override;
};

}  // namespace radd
