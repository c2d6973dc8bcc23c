#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <host/config/scalars.hpp>
#include <host/config/utf8.hpp>
#include <host/config/yaml.hpp>

namespace radd::config {
namespace {

/// Thrown through yaml-cpp to end the parse; what is wrong has been reported by then.
struct Abandoned {};

/// Where a byte is. Asked for at every node, so both answers are looked up and not counted.
class Places {
public:
    explicit Places(std::string_view text) : characters_before_(text.size() + 1) {
        line_starts_.push_back(0);
        std::uint32_t characters = 0;
        for (std::size_t at = 0; at < text.size(); ++at) {
            characters_before_[at] = characters;
            const auto byte = static_cast<unsigned char>(text[at]);
            if ((byte & 0xC0U) != 0x80U) ++characters;
            if (text[at] == '\n') line_starts_.push_back(at + 1);
        }
        characters_before_[text.size()] = characters;
    }

    [[nodiscard]] Place of(std::size_t offset) const {
        const auto at = std::min(offset, characters_before_.size() - 1);
        const auto next = std::ranges::upper_bound(line_starts_, at);
        const auto column = characters_before_[at] - characters_before_[*std::prev(next)];
        return {.line = static_cast<int>(next - line_starts_.begin()),
                .column = static_cast<int>(column) + 1};
    }

    [[nodiscard]] Place of(const YAML::Mark& mark) const {
        return mark.is_null() ? Place{} : of(static_cast<std::size_t>(mark.pos));
    }

private:
    std::vector<std::size_t> line_starts_;
    std::vector<std::uint32_t> characters_before_;
};

/// Problems of one file, bounded.
class Reporter {
public:
    Reporter(const std::string& file, Problems& problems) : file_{file}, problems_{problems} {}

    /// @throws Abandoned once there are too many.
    void add(std::string code, Place place, std::string message, std::string hint = {}) {
        if (++count_ > yaml_problems_max) {
            append("E40", place, "too many problems; the rest of the file was not read", {});
            throw Abandoned{};
        }
        append(std::move(code), place, std::move(message), std::move(hint));
    }

private:
    void append(std::string code, Place place, std::string message, std::string hint) {
        problems_.push_back({.code = std::move(code),
                             .file = file_,
                             .line = place.line,
                             .column = place.column,
                             .message = std::move(message),
                             .hint = std::move(hint)});
    }

    const std::string& file_;
    Problems& problems_;
    std::size_t count_ = 0;
};

/// Builds the tree from the parser's events. YAML::Load is not used: its nodes share and cycle,
/// take `yes` for a boolean and keep both of two equal keys.
class Builder final : public YAML::EventHandler {
public:
    Builder(const Places& places, Reporter& report) : places_{places}, report_{report} {}

    [[nodiscard]] YamlNode take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
        place({.kind = YamlNode::Kind::null, .place = counted(mark), .members = {}});
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
        const Place at = counted(mark);
        // `<<: *base` is one mistake.
        if (!in_merge_value()) {
            report_.add("E41", at, where() + "aliases ('*name') are not supported", "Write it out");
        }
        place({.kind = YamlNode::Kind::broken, .place = at, .members = {}});
    }

    void OnScalar(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t /*anchor*/,
                  const std::string& value) override {
        const Place at = counted(mark);
        // yaml-cpp marks plain scalars with "?" and all others with "!".
        const bool quoted = tag == "!";
        bool sound = quoted || accepts_tag(tag, at);
        if (value.find('\0') != std::string::npos) {
            report_.add("E41", at, where() + "a text must not contain a NUL character");
            sound = false;
        }
        if (first_invalid_utf8(value)) {  // The file was UTF-8; yaml-cpp makes one byte of these.
            report_.add("E41",
                        at,
                        where() + "the escapes '\\N' and '\\_' are not supported",
                        "Write '\\u0085' or '\\u00a0'");
            sound = false;
        }
        place({.kind = sound ? YamlNode::Kind::scalar : YamlNode::Kind::broken,
               .place = at,
               .text = value,
               .quoted = quoted,
               .members = {}});
    }

    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string& tag,
                         YAML::anchor_t /*anchor*/,
                         YAML::EmitterStyle::value /*style*/) override {
        open(YamlNode::Kind::list, mark, tag);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark,
                    const std::string& tag,
                    YAML::anchor_t /*anchor*/,
                    YAML::EmitterStyle::value /*style*/) override {
        open(YamlNode::Kind::map, mark, tag);
    }
    void OnMapEnd() override { close(); }

    void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
        report_.add("E41",
                    places_.of(mark),
                    where() + "anchors (" + shown("&" + name) + ") are not supported",
                    "Write the value out where it is needed");
    }

private:
    /// A list or a map that is still being read.
    struct Frame {
        YamlNode node;
        std::set<std::string, std::less<>> keys{};  ///< Seen so far.
        std::string key{};                          ///< The value that comes next is its.
        Place key_place{};
        bool has_key = false;
        bool key_refused = false;  ///< Reported: its value is read and dropped.
    };

    [[nodiscard]] Place counted(const YAML::Mark& mark) {
        const Place at = places_.of(mark);
        if (++nodes_ > yaml_nodes_max) {
            report_.add(
                "E40", at, "more than " + std::to_string(yaml_nodes_max) + " values in one file");
            throw Abandoned{};
        }
        return at;
    }

    bool accepts_tag(const std::string& tag, Place at) {
        if (tag.empty() || tag == "?" || tag == "!") return true;
        report_.add("E41",
                    at,
                    where() + "tags (" + shown(tag) + ") are not supported",
                    "Put quotes around what is meant as text");
        return false;
    }

    void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
        const Place at = counted(mark);
        accepts_tag(tag, at);
        if (stack_.size() >= yaml_depth_max) {
            report_.add(
                "E40", at, "nested more than " + std::to_string(yaml_depth_max) + " levels deep");
            throw Abandoned{};
        }
        stack_.push_back({.node = {.kind = kind, .place = at, .members = {}}});
    }

    void close() {
        YamlNode node = std::move(stack_.back().node);
        stack_.pop_back();
        place(std::move(node));
    }

    void place(YamlNode node) {
        if (stack_.empty()) {
            root_ = std::move(node);
            return;
        }
        Frame& frame = stack_.back();
        if (frame.node.kind == YamlNode::Kind::list) {
            frame.node.items.push_back(std::move(node));
        } else if (!frame.has_key) {
            accept_key(frame, node);
        } else {
            accept_value(frame, std::move(node));
        }
    }

    void accept_key(Frame& frame, const YamlNode& node) {
        const std::string path = where();
        frame.has_key = true;
        frame.key = node.text;
        frame.key_place = node.place;
        frame.key_refused = true;
        if (node.kind == YamlNode::Kind::broken) return;
        if (node.kind != YamlNode::Kind::scalar || node.text.empty()) {
            report_.add("E41", node.place, path + "a key must be a name");
        } else if (node.text == "<<" && !node.quoted) {
            report_.add("E41",
                        node.place,
                        path + "merge keys ('<<') are not supported",
                        "Write the keys out");
        } else if (!frame.keys.insert(node.text).second) {
            const auto& members = frame.node.members;
            const auto first = std::ranges::find(members, node.text, &Member::key);
            report_.add("E42",
                        node.place,
                        path + "duplicate key " + shown(node.text) + ", first given on line " +
                            std::to_string(first->place.line),
                        "Keep one");
        } else {
            frame.key_refused = false;
        }
    }

    void accept_value(Frame& frame, YamlNode node) {
        frame.has_key = false;
        if (frame.key_refused) return;
        // yaml-cpp notices that nothing is there at the next token, lines further down.
        if (node.kind == YamlNode::Kind::null) node.place = frame.key_place;
        frame.node.members.push_back({std::move(frame.key), frame.key_place, std::move(node)});
    }

    [[nodiscard]] bool in_merge_value() const {
        return !stack_.empty() && stack_.back().has_key && stack_.back().key == "<<";
    }

    /// `settings.smtp: `, or nothing at the top.
    [[nodiscard]] std::string where() const {
        std::string path;
        for (const Frame& frame : stack_) {
            if (frame.node.kind == YamlNode::Kind::list) {
                path += '[' + std::to_string(frame.node.items.size()) + ']';
            } else if (frame.has_key) {
                path += (path.empty() ? "" : ".") + shown_key(frame.key);
            }
        }
        return path.empty() ? path : path + ": ";
    }

    const Places& places_;
    Reporter& report_;
    YamlNode root_{.place = {.line = 1, .column = 1}, .members = {}};  // Of an empty file.
    std::vector<Frame> stack_;
    std::size_t nodes_ = 0;
};

/// Refuses whatever follows the first document.
class NothingMore final : public YAML::EventHandler {
public:
    NothingMore(const Places& places, Reporter& report) : places_{places}, report_{report} {}

    void OnDocumentStart(const YAML::Mark& mark) override {
        report_.add("E41",
                    places_.of(mark),
                    "a second document, or text that belongs to nothing, begins here",
                    "A file holds one document");
        // Not read: yaml-cpp 0.7 can find such "documents" for ever, as in `,`.
        throw Abandoned{};
    }

    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&,
                  const std::string&,
                  YAML::anchor_t,
                  const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&,
                         const std::string&,
                         YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&,
                    const std::string&,
                    YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

private:
    const Places& places_;
    Reporter& report_;
};

/// True if `text` may be given to the parser.
bool is_clean(std::string_view text, const Places& places, Reporter& report) {
    if (const auto at = first_invalid_utf8(text)) {
        report.add("E40", places.of(*at), "not valid UTF-8", "Save the file as UTF-8");
        return false;
    }
    if (const auto at = first_control_character(text)) {
        report.add("E40", places.of(*at), "a control character", "Remove it");
        return false;
    }
    return true;
}

std::optional<YamlNode> parse_document(std::string_view text,
                                       const Places& places,
                                       Reporter& report) {
    Builder builder{places, report};
    bool whole = false;
    try {
        std::istringstream stream{std::string{text}};
        YAML::Parser parser{stream};
        parser.HandleNextDocument(builder);
        whole = true;
        NothingMore nothing_more{places, report};
        parser.HandleNextDocument(nothing_more);
    } catch (const Abandoned&) {
        if (!whole) return std::nullopt;
    } catch (const YAML::Exception& error) {
        // The message may repeat a character of the text as it is.
        report.add("E40", places.of(error.mark), "not valid YAML: " + one_line(error.msg));
        return std::nullopt;
    }
    return builder.take();
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
    const auto found = std::ranges::find(members, key, &Member::key);
    return found == members.end() ? nullptr : &found->value;
}

std::optional<YamlNode> parse_yaml(std::string_view text,
                                   const std::string& file,
                                   Problems& problems) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());

    Reporter report{file, problems};
    if (text.size() > yaml_bytes_max) {
        report.add("E40", {}, "larger than " + std::to_string(yaml_bytes_max) + " bytes");
        return std::nullopt;
    }
    const Places places{text};
    if (!is_clean(text, places, report)) return std::nullopt;
    try {
        return parse_document(text, places, report);
    } catch (const Abandoned&) {
        // One fault too many, and it was the one that ended the parse.
        return std::nullopt;
    }
}

std::optional<YamlNode> read_yaml_file(const std::filesystem::path& path, Problems& problems) {
    const auto refuse = [&](const std::string& why) {
        problems.push_back({.code = "E40", .file = path.string(), .message = why});
        return std::nullopt;
    };
    // A directory opens and reads as empty, a FIFO never ends.
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return refuse("not a readable file");

    std::ifstream in{path, std::ios::binary};
    std::string text(yaml_bytes_max + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad() || (in.fail() && !in.eof()))
        return refuse("cannot be read; check its permissions");
    text.resize(static_cast<std::size_t>(in.gcount()));
    return parse_yaml(text, path.string(), problems);
}

}  // namespace radd::config
