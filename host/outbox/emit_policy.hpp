#pragma once

/// What an installation decides about emitting.

namespace radd::outbox {

/// How strict emitting is about what could not be checked before.
struct EmitPolicy {
    bool undeclared_subject_is_error = false;  ///< Else `{"id": …}` and a warning.
    bool check_payload_schema = false;  ///< A violation throws in strict mode, else is logged.
    bool strict = false;                ///< Debug builds and tests.
};

}  // namespace radd::outbox
