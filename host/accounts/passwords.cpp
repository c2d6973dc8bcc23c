#include <array>
#include <charconv>
#include <cstring>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <host/accounts/passwords.hpp>
#include <host/accounts/secret.hpp>
#include <host/config/utf8.hpp>
#include <radd/error.hpp>

namespace radd::accounts {
namespace {

/// A stored text beyond these was not written by us and could take the host's memory.
constexpr int log_n_max = 20;
constexpr int r_max = 32;
constexpr int p_max = 16;

struct Stored {
    ScryptCost cost;
    std::string salt;
    std::string hash;  ///< As text.
};

[[noreturn]] void refuse_stored() {
    throw SchemaError{
        "the password of an account is not stored as scrypt; set it anew with "
        "`radd account link`"};
}

/// Takes `name` and the number behind it off the front of `text`.
int take_number(std::string_view& text, std::string_view name, int maximum) {
    int value = 0;
    if (!text.starts_with(name)) refuse_stored();
    text.remove_prefix(name.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 1 || value > maximum) refuse_stored();
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// The salt is used as the text it is stored as: it need not be decoded to be as good.
Stored parse(std::string_view text) {
    Stored stored;
    stored.cost.log_n = take_number(text, "$scrypt$ln=", log_n_max);
    stored.cost.r = take_number(text, ",r=", r_max);
    stored.cost.p = take_number(text, ",p=", p_max);
    const auto dollar = text.find('$', 1);
    if (!text.starts_with('$') || dollar == std::string_view::npos) refuse_stored();
    stored.salt = text.substr(1, dollar - 1);
    stored.hash = text.substr(dollar + 1);
    if (stored.salt.empty() || stored.hash.empty()) refuse_stored();
    return stored;
}

}  // namespace

std::string scrypt(std::string_view password,
                   std::string_view salt,
                   const ScryptCost& cost,
                   std::size_t bytes) {
    const auto n = std::uint64_t{1} << static_cast<unsigned>(cost.log_n);
    const auto r = static_cast<std::uint64_t>(cost.r);
    const auto p = static_cast<std::uint64_t>(cost.p);
    // What OpenSSL will ask for; its own limit of 32 MiB is just below our default.
    const std::uint64_t memory_max = 128 * r * (n + p + 2);
    std::string derived(bytes, '\0');
    const int done = EVP_PBE_scrypt(password.data(),
                                    password.size(),
                                    reinterpret_cast<const unsigned char*>(salt.data()),
                                    salt.size(),
                                    n,
                                    r,
                                    p,
                                    memory_max,
                                    reinterpret_cast<unsigned char*>(derived.data()),
                                    derived.size());
    if (done != 1) throw Error{"OpenSSL cannot compute scrypt at this cost"};
    return derived;
}

Passwords::Turn::Turn(Passwords& passwords) : turns_{passwords.turns_} {
    if (!turns_.try_acquire_for(turn_wait))
        throw Unavailable{"too many passwords are being checked; try again in a second"};
}

void Passwords::require_acceptable(std::string_view password) {
    if (password.size() < bytes_min || password.size() > bytes_max)
        throw InvalidInput{"password",
                           "has " + std::to_string(password.size()) + " bytes; " +
                               std::to_string(bytes_min) + " to " + std::to_string(bytes_max) +
                               " are allowed"};
    if (config::first_invalid_utf8(password)) throw InvalidInput{"password", "is not UTF-8"};
    if (password.find('\0') != std::string_view::npos)
        throw InvalidInput{"password", "holds a NUL character"};
}

std::string Passwords::derive(std::string_view password,
                              std::string_view salt,
                              const ScryptCost& cost) {
    const Turn turn = take_turn();
    ++derivations_;
    return base64url(scrypt(password, salt, cost, hash_bytes));
}

std::string Passwords::hash(std::string_view password) {
    std::array<char, salt_bytes> bytes{};
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t bits = random_.bits();
        std::memcpy(bytes.data() + at, &bits, sizeof bits);
    }
    const std::string salt = base64url({bytes.data(), bytes.size()});
    return "$scrypt$ln=" + std::to_string(cost_.log_n) + ",r=" + std::to_string(cost_.r) +
           ",p=" + std::to_string(cost_.p) + '$' + salt + '$' + derive(password, salt, cost_);
}

bool Passwords::matches(std::string_view password, const std::optional<std::string>& stored) {
    if (!stored) {
        (void)derive(password, "nobody has this name", cost_);
        return false;
    }
    const Stored known = parse(*stored);
    return equal_in_constant_time(derive(password, known.salt, known.cost), known.hash);
}

bool Passwords::is_outdated(std::string_view stored) const {
    return parse(stored).cost != cost_;
}

}  // namespace radd::accounts
