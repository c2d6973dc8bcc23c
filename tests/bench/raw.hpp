#pragma once

/// The other side of every ratio: libpq with prepared statements and nothing around it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <libpq-fe.h>

namespace radd::bench {

/// What every event of the benchmark carries: 250 bytes of JSON.
inline const std::string payload =
    R"({"score":5,"note":")" + std::string(220, 'x') + R"(","key":"OPS-12","n":12})";

/// One connection. @throws std::runtime_error. One thread at a time.
class Raw {
public:
    explicit Raw(const std::string& url);

    void emit(int rows);  ///< BEGIN, one INSERT of 1 or 100 rows in all columns, COMMIT.
    void emit_alone();    ///< One INSERT that is its own transaction.
    std::size_t drain();  ///< Reads everything and looks at each row's id and payload.
    /// At most a thousand rows after `id`: each one's id, and the number it was emitted with.
    std::vector<std::pair<std::int64_t, std::size_t>> rows_after(std::int64_t id);
    void run(const std::string& sql);

    using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;
    void prepare(const char* name, const std::string& sql);
    Result execute(const char* name, const std::vector<const char*>& params);

private:
    Result checked(PGresult* result) const;
    void insert(int rows);

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
    int emitted_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace radd::bench
