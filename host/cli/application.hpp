#pragma once

/// `radd` as a function: what main() calls, and what tests call without a process.

#include <iosfwd>
#include <string>
#include <vector>

namespace radd::cli {

/// Runs one command line, without the program's name. Returns the exit code; prints every error
/// that the SDK throws as one line on `err`.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace radd::cli
