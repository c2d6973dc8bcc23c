#include "envelope.hpp"

#include <array>
#include <cstdio>

#include <radd/error.hpp>

namespace webhooks {
namespace {

std::string json_of(std::string_view text) {
    return radd::json(text).dump();
}

std::string rfc3339(radd::Timestamp time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    constexpr std::size_t length_max = 40;
    std::array<char, length_max> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
                  static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()),
                  static_cast<int>(clock.hours().count()),
                  static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()),
                  static_cast<int>(clock.subseconds().count()));
    return text.data();
}

std::string data_of(const radd::Event& event, Content content) {
    std::string data = R"({"id":)" + std::to_string(event.id) + R"(,"entity_type":)" +
                       json_of(event.entity_type) + R"(,"entity_id":)" + json_of(event.entity_id);
    if (event.actor_id) data += R"(,"actor_id":)" + json_of(*event.actor_id);
    if (event.project_id) data += R"(,"project_id":)" + std::to_string(*event.project_id);
    if (event.automated_cause) data += R"(,"automated_cause":)" + json_of(*event.automated_cause);
    data += R"(,"occurred_at":)" + json_of(rfc3339(event.occurred_at));
    if (content == Content::omitted) return data + R"(,"omitted":true})";
    data += R"(,"payload":)" + event.payload_text;
    if (event.changes_text) data += R"(,"changes":)" + *event.changes_text;
    return data + "}";
}

}  // namespace

Format format_of(std::string_view name) {
    for (const auto format : {Format::cloudevents, Format::plain}) {
        if (name_of(format) == name) return format;
    }
    throw radd::InvalidInput{"format", "must be cloudevents or plain"};
}

std::string_view content_type_of(Format format) {
    return format == Format::plain ? "application/json"
                                   : "application/cloudevents+json; charset=utf-8";
}

std::string body_of(const radd::Event& event,
                    Format format,
                    std::string_view source,
                    Content content) {
    if (format == Format::plain)
        return R"({"type":)" + json_of(event.type) + R"(,"timestamp":)" +
               json_of(rfc3339(event.recorded_at)) + R"(,"data":)" + data_of(event, content) + "}";
    std::string body = R"({"specversion":"1.0","id":")" + std::to_string(event.id) +
                       R"(","source":)" + json_of(source) + R"(,"type":)" + json_of(event.type) +
                       R"(,"subject":)" + json_of(event.entity_type + "/" + event.entity_id) +
                       R"(,"time":)" + json_of(rfc3339(event.recorded_at)) +
                       R"(,"datacontenttype":"application/json")";
    if (event.traceparent) body += R"(,"traceparent":)" + json_of(*event.traceparent);
    return body + R"(,"data":)" + data_of(event, content) + "}";
}

std::string body_of(const Call& call, Format format, std::string_view source) {
    const radd::json data{{"event_id", call.event_id ? radd::json(*call.event_id) : radd::json()},
                          {"payload", call.payload}};
    if (format == Format::plain)
        return radd::json{{"type", call_type}, {"timestamp", rfc3339(call.at)}, {"data", data}}
            .dump();
    return radd::json{{"specversion", "1.0"},
                      {"id", call.id},
                      {"source", source},
                      {"type", call_type},
                      {"time", rfc3339(call.at)},
                      {"datacontenttype", "application/json"},
                      {"data", data}}
        .dump();
}

}  // namespace webhooks
