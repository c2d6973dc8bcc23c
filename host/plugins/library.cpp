#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

#include <boost/dll/shared_library.hpp>

#include <cxxabi.h>
#include <dlfcn.h>
#include <host/log/logging.hpp>
#include <host/plugins/guarded.hpp>
#include <host/plugins/library.hpp>
#include <link.h>
#include <radd/abi.hpp>
#include <radd/sdk_digest.hpp>

namespace radd::loader {
namespace {

// All symbols now, so that a missing one is found here and not at its first call; visible to
// nobody else; and never unmapped, whatever happens to the handle.
constexpr auto load_mode =
    static_cast<boost::dll::load_mode::type>(RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text{
        ::abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free};
    return text ? text.get() : name;
}

/// The dynamic linker's own words, without what Boost.DLL wraps around them.
std::string linker_text(const std::string& what) {
    constexpr std::string_view opening = "(dlerror system message: ";
    const auto start = what.find(opening);
    if (start == std::string::npos) return log::one_line(what);
    const auto end = what.rfind("): ");
    const auto from = start + opening.size();
    return log::one_line(what.substr(from, end == std::string::npos ? end : end - from));
}

std::string missing_symbol(const std::string& text) {
    constexpr std::string_view marker = "undefined symbol: ";
    const auto found = text.find(marker);
    if (found == std::string::npos) return {};
    const auto from = found + marker.size();
    return text.substr(from, text.find_first_of(" ,(", from) - from);
}

std::string linker_hint(const std::string& text) {
    const std::string symbol = missing_symbol(text);
    constexpr std::string_view stamp = "radd_abi_";
    if (symbol.starts_with(stamp))
        return "It was built against the SDK headers " + symbol.substr(stamp.size()) +
               ", this host's are " RADD_SDK_DIGEST "; rebuild it with SDK " RADD_SDK_VERSION;
    if (!symbol.empty())
        return "Nothing defines '" + demangled(symbol) +
               "'; link what does, with radd_add_plugin(… LINK …)";
    if (text.find("cannot open shared object file") != std::string::npos)
        return "A library it needs is not installed";
    return {};
}

/// What dl_iterate_phdr() looks for, and what it finds of it.
struct Search {
    std::uintptr_t inside;
    std::vector<AddressRange> code{};
};

int collect_code(dl_phdr_info* info, std::size_t /*size*/, void* data) {
    auto& search = *static_cast<Search*>(data);
    std::vector<AddressRange> code;
    bool is_it = false;
    for (const auto& header : std::span{info->dlpi_phdr, info->dlpi_phnum}) {
        if (header.p_type != PT_LOAD) continue;
        const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
        const AddressRange range{.begin = begin, .end = begin + header.p_memsz};
        is_it = is_it || range.contains(search.inside);
        if ((header.p_flags & PF_X) != 0) code.push_back(range);
    }
    if (is_it) search.code = std::move(code);
    return is_it ? 1 : 0;
}

bool same_text(const char* ours, const std::string& theirs) {
    return ours != nullptr && ours == theirs;
}

}  // namespace

struct Library::Mapping {
    boost::dll::shared_library library;
};

Library::Library(const std::filesystem::path& path, std::string file, PluginNote note)
    : file_{std::move(file)}, note_{std::move(note)}, mapping_{std::make_unique<Mapping>()} {
    try {
        // The throwing overload: the other one loses the text of the dynamic linker.
        mapping_->library.load(path, load_mode);
    } catch (const std::exception& failure) {
        const std::string text = linker_text(failure.what());
        throw refused("E11", "the dynamic linker refused it: " + text, linker_hint(text));
    }
    const std::string entry{abi::entry_name};
    if (!mapping_->library.has(entry))
        throw refused("E14",
                      "it does not export " + entry,
                      "Write RADD_PLUGIN once, and build with radd_add_plugin()");
    using Entry = const radd_plugin_v1*();
    auto& get_descriptor = mapping_->library.get<Entry>(entry);
    const auto failure = guarded([&] { descriptor_ = get_descriptor(); });
    if (failure) throw refused("E14", "its entry threw: " + *failure, "");
    check_descriptor();
}

Library::Library(Library&&) noexcept = default;
Library::~Library() = default;

// From what every version of this struct must have to what only this one has: nothing is read
// before what vouches for it.
void Library::check_descriptor() const {
    const auto broken = [this](const std::string& message) {
        return refused("E14", message, "Build it with RADD_PLUGIN and SDK " RADD_SDK_VERSION);
    };
    if (descriptor_ == nullptr) throw broken("its entry returned nothing");
    constexpr auto size_min = offsetof(radd_plugin_v1, manifest) + sizeof(void*);
    if (descriptor_->struct_size < size_min)
        throw broken("its descriptor has " + std::to_string(descriptor_->struct_size) +
                     " bytes, at least " + std::to_string(size_min) + " are needed");
    if (descriptor_->magic != abi::magic) throw broken("its descriptor has a wrong magic number");
    if (descriptor_->abi_major != abi::abi_major || descriptor_->abi_minor > abi::abi_minor)
        throw broken("its descriptor is for ABI " + std::to_string(descriptor_->abi_major) + "." +
                     std::to_string(descriptor_->abi_minor) + ", its note said " +
                     std::to_string(note_.abi_major) + "." + std::to_string(note_.abi_minor));
    if (descriptor_->layout_hash != note_.layout_hash)
        throw broken("its descriptor and its note disagree about the layout");
    if (!same_text(descriptor_->id, note_.id) || !same_text(descriptor_->version, note_.version))
        throw broken("its descriptor is not about " + note_.id + " " + note_.version +
                     ", which its note names");
    if (!same_text(descriptor_->fingerprint, note_.fingerprint))
        throw broken("its descriptor and its note disagree about the toolchain");
    if (descriptor_->manifest == nullptr) throw broken("its descriptor has no manifest function");
}

Manifest Library::manifest() const {
    Manifest manifest;
    radd_error error{};
    std::int32_t code = 0;
    const auto failure = guarded([&] { code = descriptor_->manifest(&manifest, &error); });
    if (!failure && code == 0) return manifest;
    error.text[sizeof(error.text) - 1] = '\0';
    const std::string text =
        error.text[0] == '\0' ? "code " + std::to_string(code) : log::one_line(error.text);
    throw refused("E20", "its manifest function failed: " + failure.value_or(text), "");
}

std::vector<AddressRange> Library::code() const {
    Search search{.inside = reinterpret_cast<std::uintptr_t>(descriptor_)};
    (void)::dl_iterate_phdr(collect_code, &search);
    return std::move(search.code);
}

Refusal Library::refused(std::string code, std::string message, std::string hint) const {
    return Refusal{{.code = std::move(code),
                    .plugin = note_.id,
                    .file = file_,
                    .message = std::move(message),
                    .hint = std::move(hint)}};
}

}  // namespace radd::loader
