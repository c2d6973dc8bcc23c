#pragma once

/// What can go wrong, by what the host does about it.
///
/// The type decides the reaction; the message is for the person who reads the log. Every type
/// has its key function in libradd_sdk.so, so that one thrown in a plugin is caught by type in
/// the host and the other way round.

#include <stdexcept>
#include <string>

#include <radd/export.hpp>

namespace radd {

/// Root of everything the SDK throws on purpose.
class RADD_EXPORT Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    ~Error() override;
};

/// A manifest, a setting or a plugin is wrong. The host refuses to start.
class RADD_EXPORT ConfigError : public Error {
public:
    using Error::Error;
    ~ConfigError() override;
};

/// What the caller handed over cannot be accepted: a payload over its limit, text with a NUL
/// byte, an item without a title. Nothing was written. `field()` names the culprit.
class RADD_EXPORT InvalidInput : public Error {
public:
    InvalidInput(std::string field, const std::string& problem);
    ~InvalidInput() override;

    [[nodiscard]] const std::string& field() const noexcept { return field_; }

private:
    std::string field_;
};

/// The database or the network is away. While planning, the host abandons the unit of work,
/// backs off and plans the same batch again; while delivering, it is a lost delivery like any
/// other. Never swallow it: the session it came from is unusable.
class RADD_EXPORT Unavailable : public Error {
public:
    using Error::Error;
    ~Unavailable() override;
};

/// PostgreSQL refused a statement. Carries the SQLSTATE, never the bound values.
class RADD_EXPORT SqlError : public Error {
public:
    SqlError(std::string sqlstate, const std::string& message);
    ~SqlError() override;

    /// Five characters, e.g. "23505".
    /// https://www.postgresql.org/docs/current/errcodes-appendix.html
    [[nodiscard]] const std::string& sqlstate() const noexcept { return sqlstate_; }

private:
    std::string sqlstate_;
};

/// The statement lost a race and the same work may succeed when it is done again: a
/// serialization failure (40001), a deadlock (40P01), a lock or statement timeout (55P03, 57014).
/// The host repeats the event's work up to 3 times, then skips it as any other failure.
class RADD_EXPORT Contention : public SqlError {
public:
    using SqlError::SqlError;
    ~Contention() override;
};

/// Code and schema disagree: no such column in the result, a value of another type. A retry
/// would fail the same way.
class RADD_EXPORT SchemaError : public Error {
public:
    using Error::Error;
    ~SchemaError() override;
};

}  // namespace radd
