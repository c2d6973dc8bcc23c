#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <host/config/manifest_file.hpp>
#include <host/conformance/staged.hpp>
#include <host/plugins/elf_file.hpp>
#include <host/plugins/factory.hpp>
#include <host/plugins/library_file.hpp>
#include <host/plugins/report.hpp>

namespace radd::conformance {
namespace {

namespace fs = std::filesystem;

fs::path new_folder() {
    std::string name = (fs::temp_directory_path() / "radd-conformance-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
        throw std::system_error{errno, std::generic_category(), "a folder in " + name};
    return name;
}

std::string contents(const fs::path& path) {
    std::ifstream file{path};
    if (!file) throw Error{path.string() + ": cannot be read"};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::string indented(const std::string& text) {
    std::string result = "  ";
    for (const char c : text) result.append(1, c).append(c == '\n' ? "  " : "");
    return result;
}

}  // namespace

Stage::Stage(const Options& options) : folder_{new_folder()}, deadline_{options.deadline} {
    add(options.plugin);
    for (const auto& library : options.with) add(library);
    if (!options.settings.empty()) settings_ = contents(options.settings);
}

Stage::~Stage() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void Stage::add(const fs::path& library) {
    try {
        const auto bytes = loader::read_library(library);
        const auto elf = loader::read_elf(bytes);
        if (!elf.note) throw Error{library.string() + ": is no plugin"};
        (void)loader::write_private_copy(folder_, elf.note->id, bytes);
        files_.push_back({.id = elf.note->id, .library = elf.note->id + ".so"});
    } catch (const loader::BadElf& bad) {
        throw Error{library.string() + ": " + bad.what()};
    }
}

loader::PluginSet Stage::load(const std::string& settings) const {
    loader::LoadOptions options{.plugins_dir = folder_};
    config::Problems problems;
    for (const File& file : files_) {
        std::string manifest =
            "kind: plugin\nversion: 1\nid: " + file.id + "\nlibrary: " + file.library + '\n';
        const std::string& given = settings.empty() ? settings_ : settings;
        if (file.id == id() && !given.empty()) manifest += "settings:\n" + indented(given) + '\n';
        auto read = config::parse_plugin_file(manifest, file.id + ".yaml", problems);
        if (!read) continue;
        read->startup_timeout = deadline_;
        read->shutdown_timeout = deadline_;
        options.manifests.push_back(*std::move(read));
    }
    if (config::has_errors(problems)) throw Error{loader::problems_text(problems)};
    auto set = loader::load(options);
    if (!set.may_start()) throw Error{loader::problems_text(set.problems())};
    return set;
}

/// In the order in which they were made.
struct Life::Objects {
    std::vector<std::unique_ptr<Consumer>> consumers;
    std::vector<std::unique_ptr<PeriodicTask>> tasks;
    std::vector<std::unique_ptr<TailSubscriber>> listeners;
    std::vector<std::unique_ptr<DeliveryHandler>> handlers;

    void make(const loader::LoadedPlugin& plugin, Services& services, config::Problems& problems) {
        const auto make_all = [&](const auto& specs, auto& objects) {
            for (const auto& spec : specs)
                objects.push_back(loader::made_by(plugin, spec, services, problems));
        };
        make_all(plugin.manifest.consumers, consumers);
        make_all(plugin.manifest.periodic_tasks, tasks);
        make_all(plugin.manifest.tail_subscribers, listeners);
        make_all(plugin.manifest.delivery_queues, handlers);
    }
};

Life::Life(loader::PluginSet& set) : set_{set} {
    for (const auto& plugin : set.plugins()) {
        auto made = std::make_unique<testing::FakeServices>();
        made->storage.tx().when("", [](const testing::Statement&) { return Rows{0}; });
        services_.emplace(plugin->id, std::move(made));
    }
    for (const auto& plugin : set.plugins()) {
        testing::FakeServices& own = *services_.at(plugin->id);
        own.given = plugin->settings.get();
        for (auto& [id, services] : services_) {
            services->declared.add(plugin->manifest, own);
            for (const ServiceSpec& spec : plugin->manifest.services)
                services->offer(ServiceSpec{.name = spec.name, .make = [&own, &spec](Services&) {
                                                return spec.make(own);
                                            }});
        }
    }
}

Life::~Life() = default;

void Life::begin() {
    set_.start([this](const loader::LoadedPlugin& plugin) -> Services& {
        return *services_.at(plugin.id);
    });
    objects_ = std::make_unique<Objects>();
    config::Problems problems;
    for (const auto& plugin : set_.plugins())
        objects_->make(*plugin, *services_.at(plugin->id), problems);
    if (config::has_errors(problems)) throw Error{loader::problems_text(problems)};
}

std::vector<std::string> Life::end() {
    objects_.reset();
    std::vector<std::string> found;
    for (const auto& problem : set_.stop()) found.push_back(config::to_text(problem));
    return found;
}

}  // namespace radd::conformance
