#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <host/plugins/report.hpp>
#include <tests/loader/bench.hpp>
#include <unistd.h>

namespace radd::loader_test {
namespace {

namespace fs = std::filesystem;

class NoServices final : public Services {
public:
    [[nodiscard]] const Settings& settings() const override { absent(); }
    [[nodiscard]] Log& log() override { absent(); }
    [[nodiscard]] Clock& clock() override { absent(); }
    [[nodiscard]] Random& random() override { absent(); }
    [[nodiscard]] Database& database() override { absent(); }
    [[nodiscard]] DeliveryQueue& deliveries(std::string_view) override { absent(); }
    [[nodiscard]] const std::vector<std::chrono::seconds>& retry_schedule() const override {
        absent();
    }
    [[nodiscard]] const std::vector<NotificationKindSpec>& notification_kinds() const override {
        absent();
    }
    [[nodiscard]] HttpClient& http_client() override { absent(); }
    [[nodiscard]] Secrets& secrets() override { absent(); }
    [[nodiscard]] EventLog& event_log() override { absent(); }
    [[nodiscard]] const Catalog& catalog() const override { absent(); }
    [[nodiscard]] const std::string& public_url() const override { absent(); }
    [[nodiscard]] bool stop_requested() const noexcept override { return false; }

private:
    [[nodiscard]] Service& find(std::string_view) override { absent(); }
    [[noreturn]] static void absent() { throw std::logic_error{"this test lends no services"}; }
};

Bytes::iterator find(Bytes& bytes, std::string_view text) {
    return std::search(
        bytes.begin(), bytes.end(), text.begin(), text.end(), [](std::byte a, char b) {
            return a == static_cast<std::byte>(b);
        });
}

/// Lets `change` edit the T that lies `offset` after the first `start`.
template <typename T>
Bytes changed(Bytes library,
              std::string_view start,
              std::size_t offset,
              const std::function<void(T&)>& change) {
    const auto found = find(library, start);
    if (found == library.end()) throw std::runtime_error{"not found in the library"};
    std::byte* const at = &*found + offset;
    T value{};
    std::memcpy(&value, at, sizeof(value));
    change(value);
    std::memcpy(at, &value, sizeof(value));
    return library;
}

}  // namespace

fs::path fixture_path(const std::string& name) {
    return fs::path{RADD_BINARY_DIR} / "tests/fixtures" / (name + ".so");
}

Bytes read_file(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (text.empty()) throw std::runtime_error{path.string() + " is missing or empty"};
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

void write_text(const fs::path& path, const std::string& text) {
    std::ofstream{path, std::ios::binary} << text;
    fs::permissions(path, fs::perms{0644});
}

void write_file(const fs::path& path, const Bytes& bytes) {
    std::string text(bytes.size(), '\0');
    if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
    write_text(path, text);
}

Bytes with_note(Bytes library, const std::function<void(abi::NoteDesc&)>& change) {
    return changed(std::move(library), "RADDRADD", 4, change);  // Name and magic number.
}

Bytes with_descriptor(Bytes library, const std::function<void(radd_plugin_v1&)>& change) {
    std::string start(8, '\0');
    const std::uint32_t size = sizeof(radd_plugin_v1);
    std::memcpy(start.data(), &size, sizeof(size));
    std::memcpy(start.data() + sizeof(size), &abi::magic, sizeof(abi::magic));
    return changed(std::move(library), start, 0, change);
}

Bytes with_text(Bytes library, std::string_view from, std::string_view to) {
    auto found = find(library, from);
    if (found == library.end() || from.size() != to.size())
        throw std::runtime_error{"no such text to replace"};
    for (; found != library.end(); found = find(library, from))
        std::memcpy(&*found, to.data(), to.size());
    return library;
}

Variable::Variable(std::string name, const std::string& value) : name_{std::move(name)} {
    ::setenv(name_.c_str(), value.c_str(), 1);
}
Variable::~Variable() {
    ::unsetenv(name_.c_str());
}

Services& no_services() {
    static NoServices services;
    return services;
}

Bench::Bench() {
    static std::atomic<int> next{0};
    root = fs::path{RADD_BINARY_DIR} / "tests/loader-work" /
           (std::to_string(::getpid()) + '-' + std::to_string(next++));
    plugins = root / "plugins";
    fs::create_directories(plugins);
    fs::permissions(plugins, fs::perms{0755});
    options.plugins_dir = plugins;
    options.runtime_dir = root / "run/plugins";
}

Bench::~Bench() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
}

fs::path Bench::install(const std::string& fixture, const std::string& as) {
    return install(as.empty() ? fixture + ".so" : as, read_file(fixture_path(fixture)));
}

fs::path Bench::install(const std::string& as, const Bytes& bytes) {
    write_file(plugins / as, bytes);
    return plugins / as;
}

config::PluginFile& Bench::declare(const std::string& id, const std::string& library) {
    options.manifests.push_back({.file = "manifests/" + id + ".yaml",
                                 .id = id,
                                 .library = library.empty() ? id + ".so" : library});
    return options.manifests.back();
}

std::string loaded(const loader::PluginSet& set) {
    std::string ids;
    for (const auto& plugin : set.plugins()) ids += (ids.empty() ? "" : " ") + plugin->id;
    return ids;
}

std::string problems(const loader::PluginSet& set) {
    return loader::problems_text(set.problems());
}

}  // namespace radd::loader_test
