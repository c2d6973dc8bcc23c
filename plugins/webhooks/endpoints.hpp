#pragma once

/// Endpoints: what people set about them, and the events that say so.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "envelope.hpp"
#include <radd/services.hpp>

namespace webhooks {

inline constexpr std::size_t name_bytes_max = 200;
inline constexpr std::size_t filters_max = 100;  ///< Entries of one filter.
inline constexpr std::size_t endpoints_max = 1000;
inline constexpr std::string_view queue_name = "webhooks.deliveries";

/// What people decide. An empty filter is passed by everything.
struct EndpointDraft {
    std::string name{};
    std::string url{};
    Format format = Format::cloudevents;
    std::vector<std::string> event_types{};  ///< "item.updated", or "item.*".
    std::vector<std::string> entity_types{};
    std::vector<std::int64_t> project_ids{};
    bool enabled = true;
};

struct Endpoint {
    std::int64_t id = 0;
    EndpointDraft draft{};
    std::optional<std::string> disabled_reason{};
    std::optional<std::string> disabled_at{};
    std::optional<std::string> failing_since{};
    std::optional<std::string> old_secret_until{};
    std::string created_at{};
};

/// Without its secret, which nobody is shown twice.
[[nodiscard]] radd::json to_json(const Endpoint& endpoint);

/// Made, changed and removed in the caller's transaction, each with its event by `actor`.
class Endpoints {
public:
    explicit Endpoints(radd::Services& host) : host_{host} {}

    [[nodiscard]] std::vector<Endpoint> list(radd::Transaction& tx) const;
    [[nodiscard]] std::optional<Endpoint> find(radd::Transaction& tx, std::int64_t id) const;
    /// To be written back changed: nobody else changes it before the commit.
    [[nodiscard]] std::optional<Endpoint> find_to_change(radd::Transaction& tx,
                                                         std::int64_t id) const;

    struct Made {
        std::int64_t id;
        std::string secret;  ///< To be shown once.
    };
    /// @throws radd::InvalidInput naming the field.
    Made create(radd::Transaction& tx,
                const EndpointDraft& draft,
                std::optional<std::string> secret,
                const std::optional<std::string>& actor);
    /// False: there is none. Switching off cancels what waits for it, and so does switching on:
    /// what was left over by then is not sent.
    /// @throws radd::InvalidInput also while more is left over than one call cancels.
    bool update(radd::Transaction& tx,
                std::int64_t id,
                const EndpointDraft& draft,
                const std::optional<std::string>& actor);
    bool remove(radd::Transaction& tx, std::int64_t id, const std::optional<std::string>& actor);
    /// The new secret; both sign for `overlap`. Empty: there is no such endpoint.
    std::optional<std::string> rotate(radd::Transaction& tx,
                                      std::int64_t id,
                                      std::optional<std::string> secret,
                                      std::chrono::milliseconds overlap,
                                      const std::optional<std::string>& actor);
    /// By its receiver or by failing: once, with its event.
    void disable(radd::Transaction& tx, std::int64_t id, const std::string& reason);

    /// Takes a deleted project out of the filters. An endpoint that was for it alone is disabled
    /// and keeps its filter, because an empty one is passed by everything; what waits for it is
    /// cancelled. Twice is as good as once.
    void forget_project(radd::Transaction& tx, std::string_view project_id);

    /// What `secret` is sealed for.
    [[nodiscard]] static std::string purpose(std::int64_t id) {
        return "webhooks.endpoint/" + std::to_string(id);
    }

private:
    void check(const EndpointDraft& draft) const;
    void seal(radd::Transaction& tx,
              std::int64_t id,
              const std::string& secret,
              std::chrono::milliseconds overlap);

    radd::Services& host_;
};

}  // namespace webhooks
