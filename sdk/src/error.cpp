// Key functions: one copy of each typeinfo, so that host and plugins catch each other's types.

#include <radd/commit_in_doubt.hpp>
#include <radd/error.hpp>
#include <radd/http.hpp>

namespace radd {

Error::~Error() = default;
ConfigError::~ConfigError() = default;
Unavailable::~Unavailable() = default;
CommitInDoubt::~CommitInDoubt() = default;
Contention::~Contention() = default;
SchemaError::~SchemaError() = default;

InvalidInput::InvalidInput(std::string field, const std::string& problem)
    : Error{field + ": " + problem}, field_{std::move(field)} {}
InvalidInput::~InvalidInput() = default;

SqlError::SqlError(std::string sqlstate, const std::string& message)
    : Error{message + " (SQLSTATE " + sqlstate + ")"}, sqlstate_{std::move(sqlstate)} {}
SqlError::~SqlError() = default;

HttpError::HttpError(int status, const std::string& detail) : Error{detail}, status_{status} {}
HttpError::~HttpError() = default;

}  // namespace radd
