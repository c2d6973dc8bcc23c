// A host in small: loads the probe and the describer, starts them, has a thread of its own use
// them, stops, and returns from main(). Its exit code is the test.

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <host/plugins/plugin_set.hpp>

namespace {

class NoServices final : public radd::Services {
public:
    [[nodiscard]] const radd::Settings& settings() const override { absent(); }
    [[nodiscard]] radd::Log& log() override { absent(); }
    [[nodiscard]] radd::Clock& clock() override { absent(); }
    [[nodiscard]] radd::Random& random() override { absent(); }
    [[nodiscard]] radd::Database& database() override { absent(); }
    [[nodiscard]] radd::DeliveryQueue& deliveries(std::string_view) override { absent(); }
    [[nodiscard]] const std::vector<std::chrono::seconds>& retry_schedule() const override {
        absent();
    }
    [[nodiscard]] const std::vector<radd::NotificationKindSpec>& notification_kinds()
        const override {
        absent();
    }
    [[nodiscard]] radd::HttpClient& http_client() override { absent(); }
    [[nodiscard]] radd::Secrets& secrets() override { absent(); }
    [[nodiscard]] radd::EventLog& event_log() override { absent(); }
    [[nodiscard]] const radd::Catalog& catalog() const override { absent(); }
    [[nodiscard]] const std::string& public_url() const override { absent(); }
    [[nodiscard]] bool stop_requested() const noexcept override { return false; }

private:
    [[nodiscard]] radd::Service& find(std::string_view) override { absent(); }
    [[noreturn]] static void absent() { throw std::logic_error{"nothing is lent here"}; }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    NoServices services;
    radd::loader::LoadOptions options{.plugins_dir = argv[1], .runtime_dir = argv[2]};
    for (const std::string id : {"probe", "describer"}) {
        radd::config::PluginFile& file = options.manifests.emplace_back();
        file.id = id;
        file.library = id + ".so";
    }
    auto set = radd::loader::load(options);
    if (!set.may_start() || set.plugins().size() != 2) return 3;
    set.start([&](const radd::loader::LoadedPlugin&) -> radd::Services& { return services; });
    std::thread{[&] {
        for (const auto& plugin : set.plugins())
            (void)plugin->manifest.consumers[0].make(services)->traits();
    }}.join();
    return set.stop().empty() ? 0 : 4;
}
