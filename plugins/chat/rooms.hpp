#pragma once

/// Rooms: what people set about them, and the events that say so.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/services.hpp>
#include <radd/switched_lane.hpp>

namespace chat {

inline constexpr std::size_t name_bytes_max = 200;
inline constexpr std::size_t filters_max = 100;  ///< Entries of one filter.
inline constexpr std::size_t rooms_max = 200;
/// In one statement: hundreds of thousands would outlast statement_timeout.
inline constexpr std::int64_t lines_dropped_max = radd::lane_cancelled_max;
inline constexpr std::string_view queue_name = "chat.posts";

/// What people decide. An empty filter is passed by everything.
struct RoomDraft {
    std::string name{};
    std::vector<std::string> event_types{};  ///< "item.updated", or "item.*".
    std::vector<std::int64_t> project_ids{};
    bool enabled = true;
};

struct Room {
    std::int64_t id = 0;
    RoomDraft draft{};
    std::string url_host{};    ///< All that is shown of its URL.
    std::int64_t waiting = 0;  ///< Lines that were not posted yet.
    std::optional<std::string> disabled_reason{};
    std::optional<std::string> disabled_at{};
    std::string created_at{};
};

[[nodiscard]] radd::json to_json(const Room& room);

/// Made, changed and removed in the caller's transaction, each with its event by `actor`. A room's
/// URL lets whoever has it post there: it is sealed, and shown to nobody again.
class Rooms {
public:
    explicit Rooms(radd::Services& host) : host_{host} {}

    [[nodiscard]] std::vector<Room> list(radd::Transaction& tx) const;
    [[nodiscard]] std::optional<Room> find(radd::Transaction& tx, std::int64_t id) const;
    /// To be written back changed: nobody else changes it before the commit.
    [[nodiscard]] std::optional<Room> find_to_change(radd::Transaction& tx, std::int64_t id) const;
    /// The URL in the clear. Empty: there is no such room.
    [[nodiscard]] std::optional<std::string> url(radd::Transaction& tx, std::int64_t id) const;

    /// @throws radd::InvalidInput naming the field.
    std::int64_t create(radd::Transaction& tx,
                        const RoomDraft& draft,
                        const std::string& url,
                        const std::optional<std::string>& actor);
    /// False: there is none. Switching off cancels what waits for it, and so does switching on:
    /// what was left over by then is not posted. Without `url` it keeps its.
    /// @throws radd::InvalidInput also while more is left over than one call cancels.
    bool update(radd::Transaction& tx,
                std::int64_t id,
                const RoomDraft& draft,
                const std::optional<std::string>& url,
                const std::optional<std::string>& actor);
    bool remove(radd::Transaction& tx, std::int64_t id, const std::optional<std::string>& actor);
    /// By its service: once, with its event.
    void disable(radd::Transaction& tx, std::int64_t id, const std::string& reason);

    /// Takes a deleted project out of the filters. A room that was for it alone is disabled and
    /// keeps its filter, because an empty one is passed by everything; what waits for it is
    /// cancelled. Twice is as good as once.
    void forget_project(radd::Transaction& tx, std::string_view project_id);

    /// Queues `line` for a room. One delivery each; what waits goes out together.
    void say(radd::Transaction& tx,
             std::int64_t id,
             const std::string& line,
             std::optional<std::int64_t> event_id,
             std::optional<std::string> key);

    /// What a sealed URL is sealed for.
    [[nodiscard]] static std::string purpose(std::int64_t id) {
        return "chat.room/" + std::to_string(id);
    }

private:
    void check(const RoomDraft& draft) const;
    void seal(radd::Transaction& tx, std::int64_t id, const std::string& url);
    struct Dropped {
        std::int64_t deliveries;
        std::int64_t lines;
    };
    Dropped drop_waiting(radd::Transaction& tx, std::int64_t id, const std::string& reason);

    radd::Services& host_;
};

}  // namespace chat
