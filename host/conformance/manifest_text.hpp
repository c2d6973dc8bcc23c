#pragma once

/// Everything in a manifest that can be written down, to compare two of them.

#include <string>

#include <radd/manifest.hpp>

namespace radd::conformance {

/// A line for each value, in the manifest's order. Of a function it says whether there is one.
[[nodiscard]] std::string manifest_text(const Manifest& manifest);

}  // namespace radd::conformance
