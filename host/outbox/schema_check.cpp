#include <host/outbox/json_check.hpp>
#include <host/outbox/schema_check.hpp>

#if RADD_HAS_VALIJSON
// Without it, a bad schema calls abort().
#define VALIJSON_USE_EXCEPTIONS 1
#include <map>
#include <memory>
#include <mutex>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#endif

namespace radd::outbox {
namespace {

void check_is_object(const EventTypeSpec& spec) {
    const std::string field = "payload_schema of " + std::string{spec.type.name()};
    try {
        if (check_json(field, spec.payload_schema->text()).kind == JsonKind::object) return;
    } catch (const InvalidInput& error) {
        throw ConfigError{error.what()};
    }
    throw ConfigError{field + ": is not a JSON object; write a JSON Schema (draft 7)"};
}

}  // namespace

#if RADD_HAS_VALIJSON
namespace {

using SharedSchema = std::shared_ptr<const valijson::Schema>;

/// By text, so that two hosts of one process may declare the same type differently.
SharedSchema parsed(const EventTypeSpec& spec) {
    static std::mutex mutex;
    static std::map<std::string, SharedSchema, std::less<>> schemas;
    const std::scoped_lock lock{mutex};
    SharedSchema& known = schemas[spec.payload_schema->text()];
    if (known) return known;

    check_is_object(spec);
    auto schema = std::make_shared<valijson::Schema>();
    const json document = json::parse(spec.payload_schema->text());
    valijson::SchemaParser parser;
    try {
        parser.populateSchema(valijson::adapters::NlohmannJsonAdapter{document}, *schema);
    } catch (const std::exception& error) {
        throw ConfigError{"payload_schema of " + std::string{spec.type.name()} +
                          ": is no JSON Schema (draft 7): " + error.what()};
    }
    return known = std::move(schema);
}

}  // namespace

bool can_check_schemas() noexcept {
    return true;
}

void require_schema_checks() {}

void check_schema_itself(const EventTypeSpec& spec) {
    if (spec.payload_schema) parsed(spec);
}

std::optional<std::string> schema_violation(const EventTypeSpec& spec, const std::string& payload) {
    if (!spec.payload_schema) return std::nullopt;
    const SharedSchema schema = parsed(spec);
    const json document = json::parse(payload);
    const valijson::adapters::NlohmannJsonAdapter target{document};
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(*schema, target, &results)) return std::nullopt;

    std::string violation;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
        // Parents repeat the faults of their members in these words.
        if (error.description.starts_with("Failed to validate")) continue;
        std::string path;
        for (const auto& step : error.context) path += step;
        violation.append(violation.empty() ? "" : "; ").append(path + ": " + error.description);
    }
    return violation.empty() ? "does not fit its schema" : violation;
}
#else
bool can_check_schemas() noexcept {
    return false;
}

void require_schema_checks() {
    throw ConfigError{
        "emit.check_payload_schema: this build has no JSON Schema validator; install valijson "
        "and build again, or set it to false"};
}

void check_schema_itself(const EventTypeSpec& spec) {
    if (spec.payload_schema) check_is_object(spec);
}

std::optional<std::string> schema_violation(const EventTypeSpec&, const std::string&) {
    return std::nullopt;
}
#endif

}  // namespace radd::outbox
