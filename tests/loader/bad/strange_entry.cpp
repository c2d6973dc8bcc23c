// A note that is in order, and an entry that does not keep its promise: FIXTURE_FAULT says how.

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <radd/plugin.hpp>

namespace {

[[gnu::section(".note.radd"), gnu::used, gnu::retain]] alignas(
    4) constinit const radd::abi::Note note = radd::abi::make_note(RADD_PLUGIN_ID,
                                                                   RADD_PLUGIN_VERSION,
                                                                   radd::abi::layout_hash,
                                                                   RADD_SDK_DIGEST);

radd_plugin_v1 descriptor{.struct_size = sizeof(radd_plugin_v1),
                          .magic = radd::abi::magic,
                          .abi_major = radd::abi::abi_major,
                          .abi_minor = radd::abi::abi_minor,
                          .flags = 0,
                          .layout_hash = radd::abi::layout_hash,
                          .id = RADD_PLUGIN_ID,
                          .version = RADD_PLUGIN_VERSION,
                          .fingerprint = RADD_FINGERPRINT,
                          .manifest = nullptr};

}  // namespace

extern "C" RADD_EXPORT const radd_plugin_v1* radd_plugin_entry_v1() {
    const char* word = std::getenv("FIXTURE_FAULT");
    const std::string_view fault = word == nullptr ? "" : word;
    if (fault == "entry_null") return nullptr;
    if (fault == "entry_throws") throw std::runtime_error{"not today"};
    if (fault == "other_toolchain") descriptor.fingerprint = "cc=gcc99";
    if (fault == "no_id") descriptor.id = nullptr;
    return &descriptor;
}
