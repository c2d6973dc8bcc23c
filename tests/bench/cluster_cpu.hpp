#pragma once

/// What the database costs the machine, by the machine's own account.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/types.h>
#include <tests/support/test_database.hpp>
#include <unistd.h>

namespace radd::bench {

/// Processor time of a whole cluster on this machine: of the server, of every backend, and of those
/// that have ended.
class ClusterCpu {
public:
    explicit ClusterCpu(testing::TestDatabase& database)
        : server_{
              std::stol(numbers_of(std::to_string(database.session().backend_pid())).at(parent))} {
        (void)take();
    }

    /// Seconds since the last call.
    [[nodiscard]] double take() {
        double ticks = 0;
        for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
            const auto name = entry.path().filename().string();
            if (name.find_first_not_of("0123456789") != std::string::npos) continue;
            const auto fields = numbers_of(name);
            if (fields.empty()) continue;  // It has just ended, and its parent has its ticks.
            const bool is_server = name == std::to_string(server_);
            if (!is_server && fields.at(parent) != std::to_string(server_)) continue;
            ticks += std::stod(fields.at(user)) + std::stod(fields.at(system));
            if (is_server)
                ticks +=
                    std::stod(fields.at(user_of_ended)) + std::stod(fields.at(system_of_ended));
        }
        const double before = taken_;
        taken_ = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
        return taken_ - before;
    }

private:
    enum Field : std::size_t {  // Of /proc/<pid>/stat, from the state on.
        parent = 1,
        user = 11,
        system = 12,
        user_of_ended = 13,
        system_of_ended = 14
    };

    static std::vector<std::string> numbers_of(const std::string& pid) {
        std::ifstream file{"/proc/" + pid + "/stat"};
        std::string line;
        std::getline(file, line);
        // The name of the program stands in parentheses and may hold anything.
        const auto end_of_name = line.rfind(')');
        if (end_of_name == std::string::npos) return {};
        std::istringstream words{line.substr(end_of_name + 1)};
        std::vector<std::string> fields;
        for (std::string word; words >> word;) fields.push_back(word);
        return fields;
    }

    long server_;
    double taken_ = 0;
};

}  // namespace radd::bench
