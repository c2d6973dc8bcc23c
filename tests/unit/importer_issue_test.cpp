// Reading an export: what is taken over, what is refused, and by which name.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/importer/jira_file.hpp>
#include <plugins/importer/past_changes.hpp>
#include <radd/error.hpp>

namespace {

using radd::json;

importer::Instant utc(importer::WallTime wall) {
    return {.at = radd::Timestamp{wall.time_since_epoch()}};
}

json an_issue() {
    return json::parse(R"({
        "id": "10001", "key": "OPS-1",
        "fields": {
            "summary": "Deploy", "description": null, "issuetype": {"name": "Bug"},
            "status": {"name": "Open", "statusCategory": {"key": "new"}},
            "priority": {"name": "High"}, "labels": ["backend"],
            "reporter": {"name": "u1", "displayName": "User One", "emailAddress": ""},
            "assignee": null,
            "created": "2024-03-12T09:15:00.000+0000", "updated": "2024-03-13T10:00:00.000+0000"
        }})");
}

importer::Export parsed(const json& document) {
    return importer::parse_export(document.dump(), {}, utc);
}

/// The only issue of a file, which is as given.
importer::Issue only_issue(const json& issue) {
    const auto file = parsed(json::array({issue}));
    REQUIRE(file.rejected.empty());
    REQUIRE(file.issues.size() == 1);
    return file.issues[0];
}

/// The field for which the only issue was refused; empty if it was not.
std::string refused(const json& issue) {
    const auto file = parsed(json::array({issue}));
    return file.rejected.empty() ? "" : file.rejected.kept()[0].field;
}

std::string file_error(const std::string& text) {
    try {
        (void)importer::parse_export(text, {}, utc);
    } catch (const radd::InvalidInput& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_SUITE("jira issue") {
    TEST_CASE("an issue is read whole") {
        const auto issue = only_issue(an_issue());

        CHECK(issue.id == "10001");
        CHECK(issue.project_key == "OPS");
        CHECK(issue.number == 1);
        CHECK(issue.title == "Deploy");
        CHECK(issue.type == "Bug");
        CHECK(issue.status == "Open");
        CHECK(issue.priority == "High");
        CHECK(issue.reporter == "u1");
        CHECK_FALSE(issue.assignee);
        CHECK(issue.labels == std::vector<std::string>{"backend"});
    }

    TEST_CASE("search results and a bare list are read alike") {
        CHECK(parsed({{"issues", json::array({an_issue()})}}).issues.size() == 1);
        CHECK(parsed(json::array({an_issue()})).issues.size() == 1);
        CHECK(parsed({{"issues", json::array()}}).issues_total == 0);
    }

    TEST_CASE("what is no export is refused as a file") {
        CHECK(file_error("").find("is no JSON") != std::string::npos);
        CHECK(file_error("{\"issues\": [").find("is no JSON") != std::string::npos);
        CHECK(file_error("{\"values\": []}").find("no list of issues") != std::string::npos);
        CHECK(file_error("{\"issues\": 7}").find("no list of issues") != std::string::npos);
        CHECK(file_error("7").find("no list of issues") != std::string::npos);
        CHECK(file_error("[1e999]").find("number above") != std::string::npos);
    }

    TEST_CASE("a page of a longer result says so") {
        const auto file = parsed({{"total", 2}, {"issues", json::array({an_issue()})}});

        REQUIRE(file.warnings.total() == 1);
        CHECK(file.warnings.kept()[0].field == "total");
    }

    TEST_CASE("an issue that cannot be imported is refused by its field") {
        const auto without = [](const char* field) {
            auto issue = an_issue();
            issue["fields"].erase(field);
            return issue;
        };
        const auto with = [](const char* field, json value) {
            auto issue = an_issue();
            issue["fields"][field] = std::move(value);
            return issue;
        };
        CHECK(refused(an_issue()).empty());
        CHECK(refused(without("status")) == "status");
        CHECK(refused(without("created")) == "created");
        CHECK(refused(with("created", "0001-01-01T00:00:00.000+0000")) == "created");
        CHECK(refused(with("summary", 7)).empty());
        CHECK(refused(with("summary", {{"a", 1}})) == "summary");
        CHECK(refused(with("labels", "backend")) == "labels");
        CHECK(refused(with("reporter", "u1")) == "reporter");
        CHECK(refused(with("comment", json::array({1}))) == "comment");
        CHECK(refused(7) == "issue");
    }

    TEST_CASE("an issue without a title is imported under its key and reported") {
        auto issue = an_issue();
        issue["fields"]["summary"] = " ";
        const auto file = parsed(json::array({issue}));

        REQUIRE(file.issues.size() == 1);
        CHECK(file.issues[0].title == "OPS-1");
        REQUIRE(file.warnings.total() == 1);
        CHECK(file.warnings.kept()[0].field == "summary");
    }

    TEST_CASE("a key is a project and a number") {
        for (const char* key : {"", "OPS", "OPS-", "-1", "OPS-x", "OPS-0", "OPS-1x", "ops-1"}) {
            auto issue = an_issue();
            issue["key"] = key;
            CHECK_MESSAGE(refused(issue) == "key", key);
        }
        auto issue = an_issue();
        issue.erase("key");
        const auto file = parsed(json::array({an_issue(), issue}));
        REQUIRE(file.rejected.total() == 1);
        CHECK(file.rejected.kept()[0].key == "issue 2 of the file");
        CHECK(file.issues.size() == 1);
    }

    // P21
    TEST_CASE("a NUL refuses its issue by field and no other") {
        auto bad = an_issue();
        bad["key"] = "OPS-2";
        bad["fields"]["summary"] = std::string{"ab\0cd", 5};

        const auto file = parsed(json::array({bad, an_issue()}));

        REQUIRE(file.rejected.total() == 1);
        CHECK(file.rejected.kept()[0].key == "OPS-2");
        CHECK(file.rejected.kept()[0].field == "summary");
        CHECK(file.issues.size() == 1);
    }

    // P22
    TEST_CASE("half a surrogate pair refuses its issue and a whole one is kept") {
        const std::string good = an_issue().dump();
        auto text = good;
        text.replace(text.find("Deploy"), 6, "\\ud83d\\ude00");
        auto high = good;
        high.replace(high.find("Deploy"), 6, "\\ud83d");
        auto swapped = good;
        swapped.replace(swapped.find("Deploy"), 6, "\\ude00\\ud83d");
        auto raw = good;
        raw.replace(raw.find("Deploy"), 6, "\xff\xfe");
        auto overlong = good;
        overlong.replace(overlong.find("Deploy"), 6, "\xc0\xaf");

        const auto file = importer::parse_export(
            "[" + text + "," + high + "," + swapped + "," + raw + "," + overlong + "]", {}, utc);

        REQUIRE(file.issues.size() == 1);
        CHECK(file.issues[0].title == "\xf0\x9f\x98\x80");
        CHECK(file.rejected.total() == 4);
        for (const auto& problem : file.rejected.kept()) CHECK(problem.field == "summary");
    }

    TEST_CASE("sound text passes the repair untouched") {
        const std::string sound = R"({"a\\ud83d":"\\u00e4 \ud83d\ude00 ä 😀 \" \n"})";

        CHECK(importer::repair_text(sound) == sound);
        CHECK(importer::repair_text("\\") == "\\");
        CHECK(importer::repair_text("\\ud8") == "\\ud8");
    }

    TEST_CASE("only the wanted projects are read") {
        auto other = an_issue();
        other["key"] = "OPSX-1";

        const auto file =
            importer::parse_export(json::array({an_issue(), other}).dump(), {"OPS"}, utc);

        CHECK(file.issues_total == 1);
        CHECK(file.issues.size() == 1);
    }

    TEST_CASE("a document in Atlassian's format becomes its text") {
        auto issue = an_issue();
        issue["fields"]["description"] = json::parse(R"({"type": "doc", "content": [
            {"type": "paragraph", "content": [{"type": "text", "text": "Ask "},
                {"type": "mention", "attrs": {"text": "@ada"}}, {"type": "hardBreak"},
                {"type": "text", "text": "first."}]},
            {"type": "paragraph", "content": [{"type": "text", "text": "Then act."}]}]})");

        CHECK(only_issue(issue).description == "Ask @ada\nfirst.\nThen act.");
    }

    TEST_CASE("an unreadable time of an update is not the present") {
        auto issue = an_issue();
        issue["fields"]["updated"] = "12/13/24";

        const auto file = parsed(json::array({issue}));

        REQUIRE(file.issues.size() == 1);
        CHECK(file.issues[0].updated == file.issues[0].created);
        REQUIRE(file.warnings.total() == 1);
        CHECK(file.warnings.kept()[0].field == "updated");
    }

    TEST_CASE("a comment without a time or a text is left out and reported") {
        auto issue = an_issue();
        issue["fields"]["comment"] = json::parse(R"({"total": 5, "comments": [
            {"id": "1", "body": "kept", "created": "2024-03-13T10:00:00.000+0000"},
            {"id": "2", "body": "lost", "created": ""},
            {"id": "3", "body": "  ", "created": "2024-03-13T10:00:00.000+0000"}]})");

        const auto file = parsed(json::array({issue}));

        REQUIRE(file.issues.size() == 1);
        REQUIRE(file.issues[0].comments.size() == 1);
        CHECK(file.issues[0].comments[0].author == importer::unknown_user);
        std::string fields;
        for (const auto& warning : file.warnings.kept()) fields += warning.field + "; ";
        CHECK(fields.find("comment 2") != std::string::npos);
        CHECK(fields.find("comment 3") != std::string::npos);
        CHECK(fields.find("comment; ") != std::string::npos);
    }
}

// P40
TEST_SUITE("jira people") {
    TEST_CASE("users who differ in case are two") {
        auto issue = an_issue();
        issue["fields"]["assignee"] = {{"name", "U1"}, {"displayName", "User One"}};

        const auto file = parsed(json::array({issue}));

        CHECK(file.shared.users.size() == 2);
        CHECK(file.issues[0].assignee == "U1");
    }

    TEST_CASE("somebody whom the file does not describe is the unknown person") {
        auto issue = an_issue();
        issue["fields"]["reporter"] = {{"name", "u-deleted"}};
        issue["fields"]["creator"] = json::object();

        const auto file = parsed(json::array({issue}));

        CHECK(file.issues[0].reporter == importer::unknown_user);
        CHECK(file.issues[0].creator == importer::unknown_user);
        CHECK(file.shared.users.size() == 1);
    }

    TEST_CASE("nobody unknown makes no placeholder") {
        CHECK_FALSE(
            parsed(json::array({an_issue()})).shared.users.contains(importer::unknown_user));
    }

    TEST_CASE("an empty address is none") {
        CHECK_FALSE(parsed(json::array({an_issue()})).shared.users.at("u1").email);
    }
}

TEST_SUITE("jira change log") {
    TEST_CASE("entries speak of our fields and states") {
        importer::StatusMap statuses;
        statuses.learn("Review", items::Category::doing);
        const auto person = [](const std::string& id, const std::string& name) {
            return json{{"id", "person of " + id}, {"name", name}};
        };
        const importer::HistoryEntry entry{
            .id = "1",
            .author = "u1",
            .at = {},
            .changes = {
                {.field = "status", .from = "Open", .to = "Review"},
                {.field = "assignee", .from_id = "u1", .from = "User One"},
                {.field = "labels", .from = "b a", .to = "a c"},
                {.field = "summary", .from = "Old", .to = "New"},
                {.field = "description", .from = "Old", .to = "New"},
                {.field = "Attachment", .to = "log.txt"},
                {.field = "Sprint", .to = std::string(importer::value_bytes_max + 1, 'x')}}};

        const auto changes = importer::past_changes(entry, statuses, person);

        REQUIRE(changes.size() == 7);
        CHECK(changes[0] == radd::change("state",
                                         {{"name", "Open"}, {"category", "todo"}},
                                         {{"name", "Review"}, {"category", "doing"}}));
        CHECK(json::parse(changes[1].from->text())["id"] == "person of u1");
        CHECK(changes[2] == radd::list_change("labels", json{"c"}, json{"b"}));
        CHECK(changes[3] == radd::change("title", "Old", "New"));
        CHECK(changes[4] == radd::hidden_change("description"));
        CHECK(changes[5] == radd::change("attachment", nullptr, "log.txt"));
        CHECK(changes[6] == radd::hidden_change("sprint"));
    }
}
