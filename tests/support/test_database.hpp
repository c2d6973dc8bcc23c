#pragma once

/// A database of a test's own, in the cluster that ctest starts.

#include <string>
#include <string_view>

#include <host/db/session.hpp>

namespace radd::testing {

/// Created empty in the cluster named by RADD_TEST_CLUSTER; dropped, whoever is still connected,
/// with this. Without the variable, construction throws and says how to run the test.
class TestDatabase {
public:
    TestDatabase();
    TestDatabase(const TestDatabase&) = delete;
    TestDatabase& operator=(const TestDatabase&) = delete;
    ~TestDatabase();

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const std::string& url() const noexcept { return url_; }
    [[nodiscard]] db::ConnectOptions options() const { return {.url = url_}; }

    /// A session that lives as long as this, for what the test itself wants to know or to do.
    [[nodiscard]] db::Session& session() noexcept { return session_; }

    /// Runs a script of any number of statements on session().
    void execute(std::string_view script) { session_.run_script(script); }

    /// What a SELECT of one column found in its first row, as text; `(null)` and `(no row)` are
    /// spelled out.
    [[nodiscard]] std::string value(std::string_view query);

private:
    std::string admin_url_;
    std::string name_;
    std::string url_;
    db::Session session_;
};

/// The URL of the shared cluster's maintenance database.
[[nodiscard]] std::string test_cluster_url();

}  // namespace radd::testing
