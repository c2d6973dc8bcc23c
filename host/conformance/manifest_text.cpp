#include <chrono>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <host/conformance/manifest_text.hpp>

namespace radd::conformance {
namespace {

class Text {
public:
    /// `key: value …`, each value as text.
    template <typename... Values>
    void line(std::string_view key, const Values&... values) {
        text_.append(key).append(":");
        ((text_.append(" ").append(shown(values))), ...);
        text_ += '\n';
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    // Not by a stream: it would follow the locale, which the plugin shall not.
    static std::string shown(const std::string& text) { return json(text).dump(); }
    static std::string shown(std::string_view text) { return shown(std::string{text}); }
    static std::string shown(const JsonText& value) { return value.text(); }
    static std::string shown(EventType type) { return std::string{type.name()}; }
    static std::string shown(EntityType type) { return std::string{type.name()}; }
    static std::string shown(std::chrono::milliseconds value) {
        return std::to_string(value.count()) + "ms";
    }
    static std::string shown(std::chrono::hours value) {
        return std::to_string(value.count()) + "h";
    }
    template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
    static std::string shown(T value) {
        if constexpr (std::is_enum_v<T>)
            return std::to_string(static_cast<std::underlying_type_t<T>>(value));
        else
            return std::to_string(value);
    }
    template <typename T>
    static std::string shown(const std::optional<T>& value) {
        return value ? shown(*value) : "-";
    }
    template <typename T>
    static std::string shown(const std::vector<T>& values) {
        std::string text = "[";
        for (const T& value : values) text += ' ' + shown(value);
        return text + " ]";
    }
    template <typename Signature>
    static std::string shown(const std::function<Signature>& function) {
        return function ? "function" : "-";
    }

    std::string text_;
};

void add_stream(Text& text, const Manifest& manifest) {
    for (const EventTypeSpec& spec : manifest.event_types)
        text.line("event",
                  spec.type,
                  spec.label,
                  spec.group,
                  spec.item_scoped,
                  spec.has_changes,
                  spec.trigger,
                  spec.audited,
                  spec.entity_type,
                  spec.subjects,
                  spec.payload_schema,
                  spec.aliases);
    for (const EntityRefSpec& spec : manifest.entity_refs)
        text.line("ref", spec.entity_type, spec.label, spec.ref, spec.url, spec.document);
    for (const ConsumerSpec& spec : manifest.consumers)
        text.line("consumer",
                  spec.name,
                  spec.resume,
                  spec.listens_to,
                  spec.batch,
                  spec.deadline,
                  spec.make);
    for (const PeriodicTaskSpec& spec : manifest.periodic_tasks)
        text.line("task", spec.name, spec.sleep_first, spec.make);
    for (const CascadeSpec& spec : manifest.cascades)
        text.line("cascade", spec.name, spec.parent_event, spec.sweep, spec.after_commit);
    for (const TailSubscriberSpec& spec : manifest.tail_subscribers)
        text.line("tail subscriber", spec.name, spec.make);
    for (const NotificationKindSpec& spec : manifest.notification_kinds)
        text.line("notification kind",
                  spec.name,
                  spec.label,
                  spec.event_type,
                  spec.audience,
                  spec.defaults.inbox,
                  spec.defaults.mail,
                  spec.defaults.digest);
}

void add_entities(Text& text, const Manifest& manifest) {
    for (const EntitySpec& spec : manifest.entities) {
        text.line("entity", spec.key, spec.label, spec.plural, spec.table, spec.searchable);
        for (const FieldSpec& field : spec.fields)
            text.line("field",
                      field.name,
                      field.type,
                      field.label,
                      field.nullable,
                      field.default_value,
                      field.index,
                      field.unique,
                      field.max,
                      field.precision,
                      field.scale,
                      field.values,
                      field.references,
                      field.on_delete);
    }
}

void add_outside(Text& text, const Manifest& manifest) {
    for (const ActionSpec& spec : manifest.actions)
        text.line(
            "action", spec.name, spec.label, spec.subject, spec.arguments, spec.plan, spec.apply);
    for (const AutomationSpec& spec : manifest.automations)
        text.line("automation", spec.name, spec.rule, spec.place);
    for (const DeliveryQueueSpec& spec : manifest.delivery_queues)
        text.line("queue",
                  spec.name,
                  spec.jitter,
                  spec.timeout,
                  spec.concurrency,
                  spec.lane_concurrency,
                  spec.breaker_after,
                  spec.breaker_for,
                  spec.keep_finished,
                  spec.schedule,
                  spec.make);
    for (const CommandSpec& spec : manifest.commands)
        text.line("command", spec.words, spec.usage, spec.help, spec.run);
    for (const RouteSpec& spec : manifest.routes) {
        text.line("route",
                  spec.method,
                  spec.path,
                  spec.access,
                  spec.tag,
                  spec.summary,
                  spec.description,
                  spec.request_schema,
                  spec.handle);
        for (const QueryParameter& parameter : spec.query)
            text.line("query",
                      parameter.name,
                      parameter.description,
                      parameter.schema,
                      parameter.required,
                      parameter.repeated);
        for (const ResponseSpec& response : spec.responses)
            text.line("answer",
                      response.status,
                      response.description,
                      response.schema,
                      response.content_type);
    }
    for (const StreamSpec& spec : manifest.streams)
        text.line("stream", spec.path, spec.kind, spec.access, spec.summary, spec.description);
    for (const Migration& migration : manifest.migrations)
        text.line("migration", migration.name, migration.sql);
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
    Text text;
    text.line("plugin", manifest.id, manifest.version, manifest.description, manifest.depends_on);
    for (const SettingSpec& spec : manifest.settings)
        text.line("setting",
                  spec.name,
                  spec.type,
                  spec.default_text,
                  spec.minimum,
                  spec.maximum,
                  spec.choices,
                  spec.help);
    for (const ServiceSpec& spec : manifest.services) text.line("service", spec.name, spec.make);
    add_stream(text, manifest);
    add_entities(text, manifest);
    add_outside(text, manifest);
    text.line("hooks", manifest.on_startup, manifest.on_shutdown);
    return text.take();
}

}  // namespace radd::conformance
