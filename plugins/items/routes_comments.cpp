// Comments.

#include "body.hpp"
#include "route_call.hpp"
#include "routes.hpp"
#include "schemas.hpp"

namespace items {
namespace {

void require_author_or_admin(const Call& call, const Comment& comment) {
    require_self_or_admin(
        call, comment.author ? std::optional{comment.author->id} : std::optional<PersonId>{});
}

radd::HttpResponse list(const Call& call) {
    const auto limit = query_limit(call.request);
    const auto comments = call.directory.list_comments(
        call.tx,
        item_in_path(call).id,
        {.after = query_number(call.request, "after"), .limit = limit + 1});
    return page_response(
        "comments", comments, limit, [](const Comment& comment) { return comment.id; });
}

radd::HttpResponse create(const Call& call) {
    const Body body{call.request.json_body(), {"body"}};
    const auto text = body.required_text("body");
    const auto comment =
        call.directory.add_comment(call.tx, item_in_path(call).id, text, acting(call));
    return created_response(to_json(comment), "/api/v1/comments/" + std::to_string(comment.id));
}

radd::HttpResponse show(const Call& call) {
    return radd::json_response(to_json(comment_in_path(call)));
}

radd::HttpResponse change(const Call& call) {
    const Body body{call.request.json_body(), {"body"}};
    const auto text = body.required_text("body");
    const auto comment = comment_in_path(call);
    require_author_or_admin(call, comment);
    call.directory.update_comment(call.tx, comment.id, text, acting(call));
    return radd::json_response(to_json(comment_in_path(call)));
}

radd::HttpResponse remove(const Call& call) {
    const auto comment = comment_in_path(call);
    require_author_or_admin(call, comment);
    call.directory.delete_comment(call.tx, comment.id, acting(call));
    return radd::no_content();
}

}  // namespace

std::vector<radd::RouteSpec> comment_routes() {
    const std::string tag = "Comments";
    return {
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/items/{key}/comments",
         .summary = "List the comments on an item",
         .description = "The oldest first.",
         .tag = tag,
         .query = schema::paging(schema::id()),
         .responses = {{.description = "A page of comments",
                        .schema = schema::page("comments", schema::comment(), schema::id())}},
         .handle = in_transaction(list)},
        {.method = radd::HttpMethod::post,
         .path = "/api/v1/items/{key}/comments",
         .summary = "Comment on an item",
         .description = "Its author is whoever calls.",
         .tag = tag,
         .request_schema = schema::comment_text(),
         .responses = {{.status = 201,
                        .description = "The new comment; Location names it",
                        .schema = schema::comment()}},
         .handle = in_transaction(create)},
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/comments/{id}",
         .summary = "Show a comment",
         .tag = tag,
         .responses = {{.description = "The comment", .schema = schema::comment()}},
         .handle = in_transaction(show)},
        {.method = radd::HttpMethod::patch,
         .path = "/api/v1/comments/{id}",
         .summary = "Change a comment",
         .description = "One's own, or anybody's as an admin.",
         .tag = tag,
         .request_schema = schema::comment_text(),
         .responses = {{.description = "The comment as it is now", .schema = schema::comment()}},
         .handle = in_transaction(change)},
        {.method = radd::HttpMethod::del,
         .path = "/api/v1/comments/{id}",
         .summary = "Delete a comment",
         .description = "One's own, or anybody's as an admin.",
         .tag = tag,
         .responses = {{.status = 204, .description = "It is gone", .content_type = {}}},
         .handle = in_transaction(remove)},
    };
}

}  // namespace items
