// A plugin whose entry answers with another descriptor each time.

#include <array>
#include <cstddef>

#include <radd/plugin.hpp>

namespace {

[[gnu::section(".note.radd"), gnu::used, gnu::retain]] alignas(
    4) constinit const radd::abi::Note note = radd::abi::make_note(RADD_PLUGIN_ID,
                                                                   RADD_PLUGIN_VERSION,
                                                                   radd::abi::layout_hash,
                                                                   RADD_SDK_DIGEST);

std::int32_t fill_manifest(void* out, radd_error*) noexcept {
    auto& manifest = *static_cast<radd::Manifest*>(out);
    manifest.id = RADD_PLUGIN_ID;
    manifest.version = RADD_PLUGIN_VERSION;
    return 0;
}

constexpr radd_plugin_v1 descriptor{.struct_size = sizeof(radd_plugin_v1),
                                    .magic = radd::abi::magic,
                                    .abi_major = radd::abi::abi_major,
                                    .abi_minor = radd::abi::abi_minor,
                                    .flags = 0,
                                    .layout_hash = radd::abi::layout_hash,
                                    .id = RADD_PLUGIN_ID,
                                    .version = RADD_PLUGIN_VERSION,
                                    .fingerprint = RADD_FINGERPRINT,
                                    .manifest = &fill_manifest};

std::array<radd_plugin_v1, 2> descriptors{descriptor, descriptor};

}  // namespace

extern "C" RADD_EXPORT const radd_plugin_v1* radd_plugin_entry_v1() {
    static std::size_t calls = 0;
    return &descriptors.at(calls++ % descriptors.size());
}
