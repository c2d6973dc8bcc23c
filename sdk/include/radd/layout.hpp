#pragma once

/// One number for the layout of everything that crosses the boundary by value.
///
/// It catches what the fingerprint cannot name: -fpack-struct, -fshort-enums, a field more in a
/// spec. It does not see a changed virtual function; that is what `abi_major` is for.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <radd/catalog.hpp>
#include <radd/mailer.hpp>
#include <radd/manifest.hpp>

namespace radd::abi {
namespace detail {

// Unscoped and without a type: the only kind that -fshort-enums shrinks.
enum UnscopedProbe { unscoped_probe };

struct PackedProbe {
    char first;
    std::int64_t second;
};

// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
consteval std::uint64_t mixed(std::uint64_t hash, std::size_t value) {
    for (int i = 0; i < 4; ++i) {
        hash = (hash ^ ((value >> (8 * i)) & 0xFFU)) * 0x100000001B3U;
    }
    return hash;
}

template <typename... Types>
consteval std::uint64_t layout_of() {
    std::uint64_t hash = 0xCBF29CE484222325U;
    ((hash = mixed(mixed(hash, sizeof(Types)), alignof(Types))), ...);
    return hash;
}

inline constexpr std::uint64_t std_layout = layout_of<UnscopedProbe,
                                                      PackedProbe,
                                                      wchar_t,
                                                      long double,
                                                      std::string,
                                                      std::string_view,
                                                      std::span<const std::string>,
                                                      std::vector<int>,
                                                      std::vector<int>::iterator,
                                                      std::map<std::string, int>,
                                                      std::deque<int>,
                                                      std::function<void()>,
                                                      std::unique_ptr<int>,
                                                      std::shared_ptr<int>,
                                                      std::optional<std::string>,
                                                      std::mutex,
                                                      std::chrono::milliseconds,
                                                      Timestamp,
                                                      json>();

inline constexpr std::uint64_t sdk_layout = layout_of<EventType,
                                                      EntityType,
                                                      EntityId,
                                                      Subject,
                                                      Change,
                                                      NewEvent,
                                                      Event,
                                                      JsonText,
                                                      Sql,
                                                      Param,
                                                      Row,
                                                      Rows,
                                                      ConsumerTraits,
                                                      Consumer,
                                                      PeriodicTask,
                                                      Service,
                                                      NewDelivery,
                                                      Delivery,
                                                      AttemptResult,
                                                      Settled,
                                                      DeliveryHandler,
                                                      DeliveryQueueSpec,
                                                      ReplayFilter,
                                                      DeliveryQueue,
                                                      HttpCall,
                                                      HttpAnswer,
                                                      HttpClient,
                                                      Secrets,
                                                      AddressNotAllowed,
                                                      Transaction,
                                                      SettingSpec,
                                                      Mail,
                                                      Migration,
                                                      EventTypeSpec,
                                                      EntityRefSpec,
                                                      FieldSpec,
                                                      EntitySpec,
                                                      SearchDocument,
                                                      ConsumerSpec,
                                                      PeriodicTaskSpec,
                                                      CascadeSpec,
                                                      ActionCall,
                                                      ActionPlan,
                                                      ActionSpec,
                                                      AutomationSpec,
                                                      AutomationFault,
                                                      Catalog,
                                                      TailSubscriber,
                                                      TailSubscriberSpec,
                                                      NotificationKindSpec,
                                                      ServiceSpec,
                                                      CommandContext,
                                                      CommandSpec,
                                                      HttpRequest,
                                                      HttpResponse,
                                                      QueryParameter,
                                                      ResponseSpec,
                                                      RouteSpec,
                                                      StreamMessage,
                                                      StreamSpec,
                                                      Manifest,
                                                      InvalidInput,
                                                      SqlError,
                                                      HttpError>();

}  // namespace detail

inline constexpr std::uint64_t layout_hash =
    (detail::std_layout * 0x100000001B3U) ^ detail::sdk_layout;

}  // namespace radd::abi
