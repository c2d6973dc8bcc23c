#include <cstring>

#include <arpa/inet.h>
#include <host/accounts/sign_in_limit.hpp>
#include <host/accounts/sign_in_sql.hpp>
#include <netinet/in.h>

namespace radd::accounts {

std::string address_block(std::string_view address) {
    const std::string text{address};
    in6_addr six{};
    if (inet_pton(AF_INET6, text.c_str(), &six) != 1) return text;
    std::array<char, INET6_ADDRSTRLEN> shown{};
    if (IN6_IS_ADDR_V4MAPPED(&six)) {
        constexpr std::size_t four_at = 12;
        return inet_ntop(AF_INET, &six.s6_addr[four_at], shown.data(), shown.size());
    }
    constexpr std::size_t block_bytes = 8;
    std::memset(&six.s6_addr[block_bytes], 0, sizeof six.s6_addr - block_bytes);
    return std::string{inet_ntop(AF_INET6, &six, shown.data(), shown.size())} + "/64";
}

CountedAttempt::CountedAttempt(db::Session& session,
                               const std::string& name,
                               std::string_view address,
                               const std::optional<std::string>& device_hash) {
    const std::string block = address_block(address);
    if (device_hash) {
        buckets_ = {{"device", name, *device_hash, per_device}};
    } else {
        // In this order: what the first refuses does not fill the last, which belongs to all.
        buckets_ = {{"name and address", name, block, per_name_and_address},
                    {"address", "", block, per_address},
                    {"name", name, "", per_name}};
    }
    session.query(sql::delete_idle_buckets, idle_buckets_max);
    for (const Bucket& bucket : buckets_) charge(session, bucket);
}

void CountedAttempt::charge(db::Session& session, const Bucket& bucket) {
    const auto& [kind, name, place, size] = bucket;
    const std::int64_t step = size.step.count();
    const Rows taken = session.query(sql::charge_bucket, kind, name, place, step, size.depth);
    if (!taken.empty()) return;
    const Rows rows = session.query(sql::bucket_wait, kind, name, place, step, size.depth);
    throw TooManyAttempts{std::chrono::seconds{rows.empty() ? 1 : rows[0].integer("seconds")}};
}

void CountedAttempt::take_back(db::Session& session) const {
    for (const Bucket& bucket : buckets_)
        session.query(
            sql::refund_bucket, bucket.kind, bucket.name, bucket.place, bucket.size.step.count());
}

}  // namespace radd::accounts
