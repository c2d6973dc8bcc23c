#pragma once

/// A transaction of the host itself on a session.

#include <host/db/scope.hpp>

namespace radd::consumers {

using db::Scope;

}  // namespace radd::consumers
