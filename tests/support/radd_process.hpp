#pragma once

/// `radd` as somebody who has installed it uses it: by its commands and files, nothing else.

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <tests/support/process.hpp>
#include <tests/support/temp_dir.hpp>
#include <tests/support/test_database.hpp>

namespace radd::testing {

/// What a command did.
struct Ran {
    int code = -1;
    std::string out;
    std::string err;

    /// @throws std::runtime_error, with all three, unless `out` is one JSON text.
    [[nodiscard]] nlohmann::json json() const;
    /// The same if each line is one.
    [[nodiscard]] std::vector<nlohmann::json> json_lines() const;
};

[[nodiscard]] bool contains(std::string_view text, std::string_view part);
[[nodiscard]] std::size_t count_of(std::string_view text, std::string_view part);
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// A folder with `plugins` and `manifests`, where each command is run with an environment that
/// holds what set() was given and nothing of the caller's. What it leaves running is stopped.
class Installation {
public:
    Installation();  ///< Without a database: radd runs its own in `var`.
    explicit Installation(const TestDatabase& database);
    Installation(const Installation&) = delete;
    Installation& operator=(const Installation&) = delete;
    ~Installation();

    void ship(const std::string& id);  ///< One that ships, with its manifest.
    /// A manifest that ships switched off, switched on; it has no library.
    void ship_enabled(const std::string& id);
    void ship();  ///< Installs every plugin that ships, with its manifest.
    /// Copies tests/fixtures/<fixture>.so into `plugins` and declares it there as plugin `id`;
    /// `rest` is more of its manifest.
    void install(const std::string& fixture, const std::string& id, const std::string& rest = "");
    void install_chores();  ///< See plugins/chores.cpp; its folder is path("chores").

    void write(const std::string& file, const std::string& text) const;
    void declare(const std::string& id, const std::string& rest = "") const;
    void set(const std::string& name, const std::string& value) { environment_[name] = value; }

    /// Runs `radd`. @throws std::runtime_error if it has not ended by itself within a minute.
    Ran run(const std::vector<std::string>& arguments) const;
    /// The same, which must succeed. @throws std::runtime_error with what it said if it does not.
    Ran must(const std::vector<std::string>& arguments) const;
    [[nodiscard]] std::unique_ptr<Process> start(const std::vector<std::string>& arguments) const;
    /// Starts `radd serve` and waits until it says that it is ready.
    /// @throws std::runtime_error with its log if it does not.
    [[nodiscard]] std::unique_ptr<Process> serve() const;

    /// One consumer, as `radd consumers list --json` shows it; null if it does not.
    [[nodiscard]] nlohmann::json consumer(const std::string& name) const;
    /// Whether every consumer is owned and at the head.
    [[nodiscard]] bool is_settled() const;

    [[nodiscard]] std::filesystem::path path(const std::string& name) const;

private:
    TempDir folder_;
    std::map<std::string, std::string> environment_;
};

}  // namespace radd::testing
