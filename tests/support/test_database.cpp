#include <atomic>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include <tests/support/test_database.hpp>
#include <unistd.h>

namespace radd::testing {
namespace {

std::string create_database(const std::string& admin_url) {
    static std::atomic<int> created{0};
    // The pid keeps test executables apart that ctest runs at the same time.
    const std::string name =
        "radd_test_" + std::to_string(getpid()) + "_" + std::to_string(++created);
    db::Session admin{{.url = admin_url}};
    // A killed run may have left one under a pid that has come round again.
    admin.query_text("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)", {}, false);
    admin.query_text("CREATE DATABASE " + name, {}, false);
    return name;
}

}  // namespace

std::string test_cluster_url() {
    // Read before any thread of the test begins.
    const char* folder = std::getenv("RADD_TEST_CLUSTER");  // NOLINT(concurrency-mt-unsafe)
    if (!folder) {
        throw std::runtime_error{
            "RADD_TEST_CLUSTER: not set; run through ctest, or `tools/test-cluster start DIR` and "
            "set it to DIR"};
    }
    std::ifstream file{std::string{folder} + "/url"};
    std::string url;
    if (!std::getline(file, url))
        throw std::runtime_error{std::string{folder} + "/url: missing; start the test cluster"};
    return url;
}

TestDatabase::TestDatabase()
    : admin_url_{test_cluster_url()},
      name_{create_database(admin_url_)},
      // Of a keyword given twice, libpq takes the last.
      url_{admin_url_ + " dbname=" + name_},
      session_{{.url = url_}} {}

TestDatabase::~TestDatabase() {
    try {
        db::Session admin{{.url = admin_url_}};
        admin.query_text("DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)", {}, false);
    } catch (const std::exception& error) {
        std::cerr << name_ << ": not dropped: " << error.what() << '\n';
    }
}

std::string TestDatabase::value(std::string_view query) {
    const std::string text =
        "SELECT value::text AS value FROM (" + std::string{query} + ") AS found (value)";
    const Rows rows = session_.query_text(text, {}, false);
    return rows.empty() ? "(no row)" : rows[0].optional_text("value").value_or("(null)");
}

}  // namespace radd::testing
