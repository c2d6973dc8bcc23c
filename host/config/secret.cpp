#include <filesystem>
#include <fstream>
#include <utility>

#include <host/config/secret.hpp>

namespace radd::config {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> from_environment(const YamlNode& name,
                                            const Context& context,
                                            const EnvLookup& environment) {
    const auto variable = read_text(name, context.below("env"));
    if (!variable) return std::nullopt;
    auto value = environment(*variable);
    if (value && !value->empty()) return value;
    context.report(
        "E45",
        name.place,
        "environment variable " + shown(*variable) + (value ? " is empty" : " is not set"),
        "Set it where the host is started");
    return std::nullopt;
}

std::optional<std::string> from_file(const YamlNode& name, const Context& context) {
    const auto given = read_text(name, context.below("file"));
    if (!given) return std::nullopt;
    const auto refuse = [&](const std::string& why) {
        context.report("E45", name.place, "secret file " + shown(*given) + why);
        return std::nullopt;
    };

    const fs::path path = fs::path{context.file}.parent_path() / *given;
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return refuse(" does not exist or is no file");
    std::ifstream in{path, std::ios::binary};
    std::string text(secret_bytes_max + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad() || !in.eof()) {
        return refuse(in.gcount() > 0
                          ? " is larger than " + std::to_string(secret_bytes_max) + " bytes"
                          : " cannot be read; check its permissions");
    }
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.empty()) return refuse(" is empty");
    if (text.find('\0') != std::string::npos) return refuse(" contains a NUL byte");
    return text;
}

}  // namespace

std::optional<std::string> read_secret(const YamlNode& node,
                                       const Context& context,
                                       const EnvLookup& environment) {
    if (node.kind == YamlNode::Kind::broken) return std::nullopt;
    const YamlNode* variable = node.find("env");
    const YamlNode* file = node.find("file");
    const bool one_way = (variable == nullptr) != (file == nullptr);
    if (!one_way || node.members.size() != 1) {
        context.report("E46",
                       node.place,
                       "a secret is given by reference only",
                       "Write {env: NAME} or {file: path}");
        return std::nullopt;
    }
    return variable != nullptr ? from_environment(*variable, context, environment)
                               : from_file(*file, context);
}

}  // namespace radd::config
