#pragma once

/// The one header a plugin includes, and the macro that makes a library a plugin.
///
/// Which thread calls what, wherever these headers say so:
///   [boot-thread]  one at a time, before any loop runs or after the last has ended. Hooks have a
///                  deadline and so a thread each: a thread-local set in one is not seen in the
///                  next
///   [loop-thread]  one at a time per consumer or task, not always the same
///   [any-thread]   any number at once
/// A plugin never throws in a static constructor: it runs while the library is being opened,
/// where nobody can catch. It joins its own threads in on_shutdown: nothing unloads the library,
/// so one that was forgotten runs into the end of the process.

#include <cstdint>
#include <exception>

#include <radd/abi.hpp>
#include <radd/catalog.hpp>
#include <radd/clock.hpp>
#include <radd/consumer.hpp>
#include <radd/contract.hpp>
#include <radd/delivery.hpp>
#include <radd/entity.hpp>
#include <radd/error.hpp>
#include <radd/event.hpp>
#include <radd/layout.hpp>
#include <radd/mailer.hpp>
#include <radd/manifest.hpp>
#include <radd/migration.hpp>
#include <radd/scopes.hpp>
#include <radd/sdk_digest.hpp>
#include <radd/services.hpp>
#include <radd/settings.hpp>
#include <radd/sql.hpp>
#include <radd/transaction.hpp>
#include <radd/typed_event.hpp>
#include <radd/vocabulary.hpp>

namespace radd::abi {

/// Where every exception of a plugin's manifest function ends: it must not outlive the library it
/// came from, and the caller may not know its type.
inline std::int32_t fill_manifest(Manifest (*make)(), void* out, radd_error* error) noexcept {
    try {
        *static_cast<Manifest*>(out) = make();
        return 0;
    } catch (const std::exception& failure) {
        return report(error, 1, failure.what());
    } catch (...) {
        return report(error, 2, "an exception that is no std::exception");
    }
}

}  // namespace radd::abi

/// Once per plugin, outside of any namespace, without a semicolon:
///
///     RADD_PLUGIN(csat::manifest)
///
/// `manifest_function` is a `radd::Manifest ()`. It is called once, on the boot thread, before
/// any service exists, and must answer the same whatever the environment. RADD_PLUGIN_ID and
/// RADD_PLUGIN_VERSION come from radd_add_plugin().
// The attributes keep the note: `used` from the compiler, `retain` from --gc-sections, and the last
// one from the padding that AddressSanitizer of clang puts behind what it watches: notes stand
// close, and the build id behind a padded one is not found.
#if defined(__clang__)
#define RADD_UNPADDED , clang::no_sanitize("address")
#else
#define RADD_UNPADDED
#endif
#define RADD_PLUGIN(manifest_function)                                                          \
    namespace {                                                                                 \
    [[ gnu::section(".note.radd"),                                                              \
       gnu::used,                                                                               \
       gnu::retain RADD_UNPADDED ]] alignas(4) constinit const ::radd::abi::Note                \
        radd_plugin_note = ::radd::abi::make_note(RADD_PLUGIN_ID,                               \
                                                  RADD_PLUGIN_VERSION,                          \
                                                  ::radd::abi::layout_hash,                     \
                                                  RADD_SDK_DIGEST);                             \
    [[gnu::used, gnu::retain]] constinit const char* const radd_plugin_stamp = &RADD_SDK_STAMP; \
    std::int32_t radd_plugin_manifest(void* out, radd_error* error) noexcept {                  \
        return ::radd::abi::fill_manifest(&manifest_function, out, error);                      \
    }                                                                                           \
    constexpr radd_plugin_v1 radd_plugin_descriptor{.struct_size = sizeof(radd_plugin_v1),      \
                                                    .magic = ::radd::abi::magic,                \
                                                    .abi_major = ::radd::abi::abi_major,        \
                                                    .abi_minor = ::radd::abi::abi_minor,        \
                                                    .flags = 0,                                 \
                                                    .layout_hash = ::radd::abi::layout_hash,    \
                                                    .id = RADD_PLUGIN_ID,                       \
                                                    .version = RADD_PLUGIN_VERSION,             \
                                                    .fingerprint = RADD_FINGERPRINT,            \
                                                    .manifest = &radd_plugin_manifest};         \
    }                                                                                           \
    extern "C" RADD_EXPORT const radd_plugin_v1* radd_plugin_entry_v1() {                       \
        return &radd_plugin_descriptor;                                                         \
    }
