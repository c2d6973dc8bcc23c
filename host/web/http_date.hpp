#pragma once

/// Times as HTTP spells them.

#include <string>

#include <radd/event.hpp>

namespace radd::web {

/// "Sun, 06 Nov 1994 08:49:37 GMT", whatever the locale.
[[nodiscard]] std::string http_date(Timestamp time);

}  // namespace radd::web
