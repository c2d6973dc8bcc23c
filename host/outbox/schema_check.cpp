#include <map>
#include <memory>
#include <mutex>

#include <host/outbox/json_check.hpp>
#include <host/outbox/schema_check.hpp>
#include <host/schema/json_schema.hpp>

namespace radd::outbox {
namespace {

using SharedSchema = std::shared_ptr<const schema::JsonSchema>;

/// By text, so that two hosts of one process may declare the same type differently.
SharedSchema parsed(const EventTypeSpec& spec) {
    static std::mutex mutex;
    static std::map<std::string, SharedSchema, std::less<>> schemas;
    const std::scoped_lock lock{mutex};
    SharedSchema& known = schemas[spec.payload_schema->text()];
    if (known) return known;

    const std::string field = "payload_schema of " + std::string{spec.type.name()};
    try {
        check_json(field, spec.payload_schema->text());
    } catch (const InvalidInput& error) {
        throw ConfigError{error.what()};
    }
    try {
        return known = std::make_shared<schema::JsonSchema>(spec.payload_schema->text());
    } catch (const ConfigError& error) {
        throw ConfigError{field + ": " + error.what()};
    }
}

}  // namespace

void check_schema_itself(const EventTypeSpec& spec) {
    if (spec.payload_schema) parsed(spec);
}

std::optional<std::string> schema_violation(const EventTypeSpec& spec, const std::string& payload) {
    if (!spec.payload_schema) return std::nullopt;
    const auto violations = parsed(spec)->violations(json::parse(payload));
    if (violations.empty()) return std::nullopt;
    std::string text;
    for (const auto& [field, problem] : violations)
        text.append(text.empty() ? "" : "; ").append(field + ": " + problem);
    return text;
}

}  // namespace radd::outbox
