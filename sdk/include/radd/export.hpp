#pragma once

/// Visibility of what crosses the boundary between the host and its plugins. Everything is
/// compiled hidden; only types that are thrown, cast or derived from on both sides are marked.

#define RADD_EXPORT [[gnu::visibility("default")]]
