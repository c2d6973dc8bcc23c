#pragma once

/// What an operator does with mails from the command line.

#include <vector>

#include <radd/manifest.hpp>

namespace notify {

[[nodiscard]] std::vector<radd::CommandSpec> commands();

}  // namespace notify
