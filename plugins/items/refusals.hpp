#pragma once

/// Why the directory refuses, where its callers must tell one reason from another. Everything else
/// it refuses is a plain radd::InvalidInput.

#include <radd/error.hpp>

namespace items {

/// What the call is about is not there. What it only refers to, such as an assignee, is no such
/// case.
class Missing final : public radd::InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

/// A name that may be given once is another's.
class Taken final : public radd::InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

/// It cannot go while so much hangs on it.
class InUse final : public radd::InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

}  // namespace items
