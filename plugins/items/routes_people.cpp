// People, and the states that items may have.

#include "body.hpp"
#include "route_call.hpp"
#include "routes.hpp"
#include "schemas.hpp"

namespace items {
namespace {

radd::HttpResponse list(const Call& call) {
    const auto limit = query_limit(call.request);
    Page<PersonId> page{.limit = limit + 1};
    if (const auto after = call.request.query_value("after")) page.after = PersonId{*after};
    return page_response(
        "people", call.directory.list_people(call.tx, page), limit, [](const Person& person) {
            return person.id;
        });
}

radd::HttpResponse create(const Call& call) {
    const Body body{call.request.json_body(), {"name", "email"}};
    const NewPerson wanted{.name = body.required_text("name"),
                           .email = body.nullable_text("email").value_or(std::nullopt)};
    const auto person = call.directory.create_person(call.tx, wanted, acting(call));
    return created_response(to_json(person), "/api/v1/people/" + person.id);
}

radd::HttpResponse show(const Call& call) {
    return radd::json_response(to_json(person_in_path(call)));
}

radd::HttpResponse change(const Call& call) {
    const Body body{call.request.json_body(), {"name", "email"}};
    // First, because whoever changes themselves may not be a person yet.
    const Act act = acting(call);
    const auto person = person_in_path(call);
    require_self_or_admin(call, person.id);
    call.directory.update_person(
        call.tx, person.id, {.name = body.text("name"), .email = body.nullable_text("email")}, act);
    return radd::json_response(to_json(person_in_path(call)));
}

radd::HttpResponse list_states(const Call& call) {
    return radd::json_response(
        radd::json{{"states", list_json(call.directory.list_states(call.tx))}});
}

}  // namespace

std::vector<radd::RouteSpec> people_routes() {
    const std::string tag = "People";
    return {
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/people",
         .summary = "List people",
         .description = "In order of name.",
         .tag = tag,
         .query = schema::paging(schema::uuid()),
         .responses = {{.description = "A page of people",
                        .schema = schema::page("people", schema::person(), schema::uuid())}},
         .handle = in_transaction(list)},
        {.method = radd::HttpMethod::post,
         .path = "/api/v1/people",
         .summary = "Add a person",
         .description = "Somebody without an account, such as who asks for items by mail. Who has "
                        "an account becomes a person of the same id with the first change they "
                        "make.",
         .tag = tag,
         .request_schema = schema::new_person(),
         .responses = {{.status = 201,
                        .description = "The new person; Location names it",
                        .schema = schema::person()}},
         .handle = in_transaction(create)},
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/people/{id}",
         .summary = "Show a person",
         .tag = tag,
         .responses = {{.description = "The person", .schema = schema::person()}},
         .handle = in_transaction(show)},
        {.method = radd::HttpMethod::patch,
         .path = "/api/v1/people/{id}",
         .summary = "Change a person",
         .description = "Oneself, or anybody as an admin. A field that is absent stays, and null "
                        "clears it.",
         .tag = tag,
         .request_schema = schema::person_patch(),
         .responses = {{.description = "The person as it is now", .schema = schema::person()}},
         .handle = in_transaction(change)},
        {.method = radd::HttpMethod::get,
         .path = "/api/v1/states",
         .summary = "List the states that items may have",
         .tag = "Items",
         .responses = {{.description = "All states",
                        .schema = schema::list("states", schema::state())}},
         .handle = in_transaction(list_states)},
    };
}

}  // namespace items
