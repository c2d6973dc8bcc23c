#include <variant>

#include <host/accounts/secret.hpp>
#include <host/accounts/sql.hpp>
#include <host/accounts/tokens.hpp>
#include <host/config/scalars.hpp>
#include <host/db/scope.hpp>
#include <radd/error.hpp>

namespace radd::accounts {

std::chrono::seconds lifetime_from(std::string_view text) {
    constexpr std::int64_t days_max = 100'000;
    constexpr std::int64_t day_ms = 24L * 3600 * 1000;
    if (text.ends_with('d')) {
        const auto days = config::parse_integer(text.substr(0, text.size() - 1), {1, days_max});
        if (const auto* count = std::get_if<std::int64_t>(&days))
            return std::chrono::hours{24} * *count;
        throw InvalidInput{"lifetime", config::shown(text) + " is no number of days, e.g. 90d"};
    }
    const auto parsed = config::parse_duration(text, {1, days_max * day_ms});
    if (const auto* complaint = std::get_if<config::Complaint>(&parsed))
        throw InvalidInput{"lifetime", complaint->message + "; days are written as 90d"};
    return std::chrono::duration_cast<std::chrono::seconds>(
        std::get<std::chrono::milliseconds>(parsed));
}

MadeToken Tokens::create(const NewToken& token) {
    require_name("name", token.name);
    std::optional<std::int64_t> lifetime_s;
    if (token.lifetime) {
        lifetime_s = token.lifetime->count();
        if (*token.lifetime < lifetime_min || *token.lifetime > lifetime_max)
            throw InvalidInput{"lifetime",
                               std::to_string(*lifetime_s) + " s is not between " +
                                   std::to_string(lifetime_min.count()) + " s and " +
                                   std::to_string(lifetime_max.count()) + " s"};
    }
    if (token.account_id && !is_uuid(*token.account_id))
        throw InvalidInput{"account_id", "is not the id of an account"};
    const Secret secret = new_secret(random_, token_prefix);
    // A transaction, so that a lost connection is told from a commit in doubt.
    db::Scope scope{session_};
    const Rows rows = session_.query(sql::insert_token,
                                     secret.hash,
                                     token.name,
                                     name_of(token.role),
                                     token.account_id,
                                     lifetime_s);
    if (rows.empty())
        throw InvalidInput{"account_id",
                           "no account that is enabled and has the role '" +
                               std::string{name_of(token.role)} + "' has this id"};
    MadeToken made{.token = token_from(rows[0]), .secret = secret.text};
    scope.commit();
    return made;
}

Page<Token> Tokens::list(const std::optional<std::string>& after, std::int64_t rows_max) {
    if (after && !is_uuid(*after)) throw InvalidInput{"after", "is not the id of a token"};
    Page<Token> page;
    const Rows rows = session_.query(sql::list_tokens, after, rows_max + 1);
    for (const auto row : rows) {
        if (std::ssize(page.rows) == rows_max) {
            page.next_after = page.rows.back().id;
            break;
        }
        page.rows.push_back(token_from(row));
    }
    return page;
}

std::optional<Token> Tokens::revoke(const std::string& id) {
    if (!is_uuid(id)) return std::nullopt;
    const Rows rows = session_.query(sql::revoke_token, id);
    if (rows.empty()) return std::nullopt;
    return token_from(rows[0]);
}

}  // namespace radd::accounts
