#include <algorithm>

#include <host/accounts/identities.hpp>
#include <host/accounts/secret.hpp>
#include <host/accounts/sign_in.hpp>
#include <host/accounts/sign_in_sql.hpp>
#include <radd/error.hpp>

namespace radd::accounts {
namespace {

/// Longer than any secret of ours: what is beyond it is not worth a hash.
constexpr std::size_t secret_text_bytes_max = 200;

}  // namespace

std::optional<Principal> Identities::by_token(std::string_view token) {
    if (!token.starts_with(token_prefix)) return std::nullopt;
    return find(Kind::token, token);
}

std::optional<Principal> Identities::by_session(std::string_view cookie) {
    return find(Kind::session, cookie);
}

std::optional<Principal> Identities::find(Kind kind, std::string_view secret) {
    if (secret.empty() || secret.size() > secret_text_bytes_max) return std::nullopt;
    const std::string hash = hash_of(secret);
    const std::string key = (kind == Kind::token ? 't' : 's') + hash;
    std::uint64_t generation = 0;
    {
        const std::scoped_lock lock{mutex_};
        const auto known = remembered_.find(key);
        if (known != remembered_.end() && clock_.steady_now() < known->second.until)
            return known->second.principal;
        generation = generation_;
    }
    const auto found = look_up(kind, hash);
    if (!found) return std::nullopt;
    remember(key, *found, generation);
    return found->principal;
}

std::optional<Identities::Found> Identities::look_up(Kind kind, const std::string& hash) {
    auto lease = pool_.lease("authentication", lease_wait);
    const bool is_token = kind == Kind::token;
    const Rows rows =
        lease->query(is_token ? sql::find_token : sql::find_session, hash, touch_interval.count());
    if (rows.empty()) return std::nullopt;
    const Row row = rows[0];
    Found found{.principal = {.id = row.text("id"),
                              .name = row.text("name"),
                              .role = row.text("role") == name_of(Role::admin) ? Role::admin
                                                                               : Role::member},
                .ms_left = row.optional_integer("ms_left")};
    if (!row.boolean("touch_due")) return found;
    try {
        if (is_token) {
            lease->query(sql::touch_token, hash);
        } else {
            lease->query(sql::touch_session,
                         hash,
                         std::chrono::seconds{session_idle_max}.count(),
                         std::chrono::seconds{session_lifetime_max}.count());
        }
    } catch (const SqlError&) {
        // Who it is, is known. A database that takes no writes for now says so to who must write.
    } catch (const Unavailable&) {
        // The same; a session that died is discarded with the lease.
    }
    return found;
}

void Identities::remember(const std::string& key, const Found& found, std::uint64_t generation) {
    auto left = remembered_for;
    if (found.ms_left) left = std::min(left, std::chrono::milliseconds{*found.ms_left});
    const auto now = clock_.steady_now();
    const std::scoped_lock lock{mutex_};
    // It was looked up before something ended, perhaps this.
    if (generation != generation_) return;
    if (remembered_.size() >= remembered_max && !remembered_.contains(key)) {
        std::erase_if(remembered_, [&](const auto& entry) { return entry.second.until <= now; });
        if (remembered_.size() >= remembered_max) return;
    }
    remembered_.insert_or_assign(key,
                                 Remembered{.principal = found.principal, .until = now + left});
}

void Identities::forget() {
    const std::scoped_lock lock{mutex_};
    ++generation_;
    remembered_.clear();
}

}  // namespace radd::accounts
