#pragma once

/// Secrets that must be read again, kept so that a copy of the database does not hold them.

#include <string>
#include <string_view>

#include <radd/error.hpp>
#include <radd/export.hpp>

namespace radd {

/// By Services::secrets(). [any-thread]
class RADD_EXPORT Secrets {
public:
    Secrets() = default;
    Secrets(const Secrets&) = delete;
    Secrets& operator=(const Secrets&) = delete;
    virtual ~Secrets();

    /// Encrypts `text` under the installation's current key, for storing. `purpose` says what it
    /// is and whose ("webhooks.endpoint/7"): only open() with the same purpose gives it back, so a
    /// sealed text that is copied to another row is of no use there. Never the same twice.
    /// @throws ConfigError if the installation has no key, saying how to give it one.
    [[nodiscard]] virtual std::string seal(std::string_view purpose, std::string_view text) = 0;

    /// @throws ConfigError if the key that sealed it is not among those given; Error if it was
    ///         sealed for another purpose or changed.
    [[nodiscard]] virtual std::string open(std::string_view purpose, std::string_view sealed) = 0;
};

}  // namespace radd
