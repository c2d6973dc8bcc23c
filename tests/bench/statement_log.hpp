#pragma once

/// Counting what a database is asked, by the one who is asked.

#include <fstream>
#include <string>

#include <tests/support/test_database.hpp>

namespace radd::bench {

/// Every statement of every session that is opened on `database` from now on.
class StatementLog {
public:
    explicit StatementLog(testing::TestDatabase& database)
        // tools/test-cluster keeps the log beside the socket.
        : path_{database.value("SELECT current_setting('unix_socket_directories')") + "/log"} {
        database.execute("ALTER DATABASE " + database.name() + " SET log_statement = 'all'");
        database.execute("SET log_statement = 'none'");
    }

    /// Statements since the last call.
    [[nodiscard]] int take() {
        std::ifstream log{path_};
        log.seekg(read_);
        int count = 0;
        for (std::string line; std::getline(log, line);) {
            read_ += static_cast<std::streamoff>(line.size()) + 1;
            const bool is_statement = line.find("LOG:  statement: ") != std::string::npos ||
                                      line.find("LOG:  execute ") != std::string::npos;
            count += is_statement ? 1 : 0;
        }
        return count;
    }

private:
    std::string path_;
    std::streamoff read_ = 0;
};

}  // namespace radd::bench
