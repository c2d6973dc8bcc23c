#include <host/accounts/sign_in_limit.hpp>
#include <host/accounts/sign_in_sql.hpp>
#include <host/config/address_range.hpp>

namespace radd::accounts {

CountedAttempt::CountedAttempt(db::Session& session,
                               const std::string& name,
                               std::string_view address,
                               const std::optional<std::string>& device_hash) {
    const std::string block = config::address_block(address);
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
