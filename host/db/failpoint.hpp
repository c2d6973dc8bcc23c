#pragma once

/// Places where a test may have the process die or freeze.
///
/// Without RADD_FAILPOINTS, and so in every release, the macro is nothing: no call, no name, no
/// look at the environment.

#ifdef RADD_FAILPOINTS

#include <string_view>

namespace radd::db {

/// Ends the process by SIGKILL if RADD_FAILPOINT in its environment says `kill POINT`, `kill
/// POINT@SUBJECT` or, for its N-th passage, `kill POINT@SUBJECT:N`; freezes it by SIGSTOP if that
/// begins with `stop`. [any-thread]
void pass_failpoint(std::string_view point, std::string_view subject) noexcept;

}  // namespace radd::db

#define RADD_FAILPOINT(point, subject) ::radd::db::pass_failpoint(point, subject)

#else

#define RADD_FAILPOINT(point, subject) static_cast<void>(0)

#endif
