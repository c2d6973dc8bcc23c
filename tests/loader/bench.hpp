#pragma once

/// A plugins directory of one's own, filled from the fixtures, and the loader pointed at it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <host/plugins/plugin_set.hpp>
#include <radd/abi.hpp>

namespace radd::loader_test {

using Bytes = std::vector<std::byte>;

[[nodiscard]] std::filesystem::path fixture_path(const std::string& name);
[[nodiscard]] Bytes read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const Bytes& bytes);
void write_text(const std::filesystem::path& path, const std::string& text);

/// Lets `change` edit the plugin note inside of a library's bytes.
[[nodiscard]] Bytes with_note(Bytes library, const std::function<void(abi::NoteDesc&)>& change);

/// The same for the descriptor that its entry returns. Pointers cannot be changed so: they are set
/// when the library is mapped.
[[nodiscard]] Bytes with_descriptor(Bytes library,
                                    const std::function<void(radd_plugin_v1&)>& change);

/// Every `from` replaced by `to`, of the same length.
[[nodiscard]] Bytes with_text(Bytes library, std::string_view from, std::string_view to);

/// Sets a variable of the environment until the end of the block.
class Variable {
public:
    Variable(std::string name, const std::string& value);
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable();

private:
    std::string name_;
};

/// Services for hooks that use none of them.
[[nodiscard]] Services& no_services();

class Bench {
public:
    Bench();
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    ~Bench();

    /// Copies a fixture into the plugins directory, under its own name unless told otherwise.
    std::filesystem::path install(const std::string& fixture, const std::string& as = "");
    std::filesystem::path install(const std::string& as, const Bytes& bytes);

    /// Declares plugin `id` in `library`; by default `<id>.so`.
    config::PluginFile& declare(const std::string& id, const std::string& library = "");

    [[nodiscard]] loader::PluginSet load() const { return loader::load(options); }

    std::filesystem::path root;
    std::filesystem::path plugins;
    loader::LoadOptions options;
};

/// `id id …` of the loaded ones, in start order.
[[nodiscard]] std::string loaded(const loader::PluginSet& set);

/// Every problem as people read it, a line each.
[[nodiscard]] std::string problems(const loader::PluginSet& set);

}  // namespace radd::loader_test
