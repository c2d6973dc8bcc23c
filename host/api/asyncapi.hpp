#pragma once

/// The event types of the loaded plugins as an AsyncAPI 3.0 document, for programs and people that
/// read the stream from outside.

#include <string>

#include <host/plugins/plugin_set.hpp>

namespace radd::api {

/// One JSON document: a channel and a message per event type, in the order of their names. A
/// message's payload is the event object as the API and `radd events show --json` give it; within
/// it `payload` is described by the plugin's own schema and one ref per subject. The local `$ref`s
/// of a plugin's schema are rewritten to where the schema stands here.
[[nodiscard]] std::string asyncapi_document(const loader::PluginSet& plugins);

}  // namespace radd::api
