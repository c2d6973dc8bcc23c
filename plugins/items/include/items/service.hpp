#pragma once

/// Projects, people, items and comments: what other plugins may do with them.
///
/// Another plugin names `items` in its `depends_on` and asks for the service:
///
///     auto& directory = host.get<items::Directory>();
///     directory.update_item(tx, id, {.state = "Done"}, {.actor = person});

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/services.hpp>

namespace items {

/// Limits, in code points where text is meant. @throws radd::InvalidInput past them: text is
/// never cut, because half of what somebody wrote is not what they wrote.
inline constexpr std::size_t name_length_max = 200;  ///< Of projects, people, states, types.
inline constexpr std::size_t title_length_max = 500;
inline constexpr std::size_t text_length_max = 100'000;  ///< Descriptions and comments.
inline constexpr std::size_t project_key_length_max = 20;
inline constexpr std::size_t email_length_max = 254;  ///< RFC 5321, without the brackets.
inline constexpr std::size_t labels_max = 100;
inline constexpr std::size_t label_length_max = 100;
inline constexpr std::size_t source_length_max = 200;
inline constexpr std::size_t parents_deep_max = 50;
inline constexpr std::size_t list_rows_max = 1000;
/// Items that one deletion of a project deletes or takes the parent from. Each is an event of its
/// own, and all of them stay locked until the commit.
inline constexpr std::size_t removal_items_max = 1000;

using ItemId = std::int64_t;
using ProjectId = std::int64_t;
using CommentId = std::int64_t;
using PersonId = std::string;  ///< A uuid: it is also what events carry as their actor.

/// Who does it and when. Empty: nobody in particular, and now, by the database's clock.
struct Act {
    std::optional<PersonId> actor{};
    std::optional<radd::Timestamp> at{};  ///< When it happened, for what is imported.
};

/// What a row was called where it was imported from. Unique per kind of row, and compared byte
/// by byte: `u1` and `U1` are two.
struct SourceId {
    std::string source;  ///< "jira"
    std::string id;
};

enum class Category : std::uint8_t { todo, doing, done };

/// As it is stored and as events spell it: "todo", "doing", "done".
[[nodiscard]] constexpr std::string_view name_of(Category category) noexcept {
    switch (category) {
        case Category::todo:
            return "todo";
        case Category::doing:
            return "doing";
        case Category::done:
            return "done";
    }
    return {};
}

struct State {
    std::string name;
    Category category;

    friend bool operator==(const State&, const State&) = default;
};

struct Project {
    ProjectId id;
    std::string key;  ///< "DEMO"
    std::string name;
};

struct Person {
    PersonId id;
    std::string name;
    std::optional<std::string> email{};
};

/// Who else an item concerns: somebody outside, without being a person here.
struct Contact {
    std::string email;
    std::optional<std::string> name{};

    friend bool operator==(const Contact&, const Contact&) = default;
};

/// A person or an item, as another item names it.
struct PersonName {
    PersonId id;
    std::string name;

    friend bool operator==(const PersonName&, const PersonName&) = default;
};
struct ItemName {
    ItemId id;
    std::string key;

    friend bool operator==(const ItemName&, const ItemName&) = default;
};

struct Item {
    ItemId id;
    Project project;
    std::string key;  ///< "DEMO-1"
    std::string type;
    std::string title;
    std::string description;
    State state;
    std::optional<std::string> priority{};
    std::optional<PersonName> reporter{};
    std::optional<PersonName> assignee{};
    std::optional<Contact> contact{};
    std::optional<ItemName> parent{};
    std::vector<std::string> labels{};  ///< Sorted, none twice.
    radd::Timestamp created_at{};
    radd::Timestamp updated_at{};
    std::optional<radd::Timestamp> resolved_at{};  ///< Set exactly while the state is done.
};

struct Comment {
    CommentId id;
    ItemName item;
    std::optional<PersonName> author{};
    std::string body;
    radd::Timestamp created_at{};
    radd::Timestamp updated_at{};
};

struct NewProject {
    std::string key;  ///< Upper-case letters, digits and `_`, a letter first.
    std::string name;
};

struct ProjectRemoval {
    bool with_items = false;  ///< Without them, a project that has any is refused.
};

struct NewPerson {
    std::string name;
    std::optional<std::string> email{};
    std::optional<SourceId> source{};
};

/// As ItemPatch.
struct PersonPatch {
    std::optional<std::string> name{};
    std::optional<std::optional<std::string>> email{};
};

struct NewItem {
    ProjectId project_id;
    std::string title;
    std::string description{};
    std::string type = "Task";
    std::optional<std::string> state{};  ///< By name. Empty: the first state of category todo.
    std::optional<std::string> priority{};
    std::optional<PersonId> reporter{};
    std::optional<PersonId> assignee{};
    std::optional<Contact> contact{};
    std::optional<ItemId> parent{};
    std::vector<std::string> labels{};
    std::optional<SourceId> source{};
    /// Wanted number in the key. Empty or taken: the project's next one.
    std::optional<std::int64_t> number{};
    std::optional<radd::Timestamp> updated_at{};   ///< Empty: as created.
    std::optional<radd::Timestamp> resolved_at{};  ///< Empty, and the state is done: as updated.
};

/// What to change: an empty outer optional leaves the field, an empty inner one clears it.
struct ItemPatch {
    std::optional<std::string> title{};
    std::optional<std::string> description{};
    std::optional<std::string> type{};
    std::optional<std::string> state{};  ///< By name.
    std::optional<std::optional<std::string>> priority{};
    std::optional<std::optional<PersonId>> reporter{};
    std::optional<std::optional<PersonId>> assignee{};
    std::optional<std::optional<Contact>> contact{};
    std::optional<std::optional<ItemId>> parent{};
    std::optional<std::vector<std::string>> labels{};
    /// Fields whose change record_change() has already told. They are written, and are not part
    /// of this event.
    std::vector<std::string> told{};
};

struct ItemFilter {
    std::optional<ProjectId> project_id{};
    std::optional<ItemId> after{};  ///< Only ids greater than this: the next page.
    std::size_t limit = 100;        ///< At most list_rows_max.
};

/// A page of a list whose entries are named by `Key`: what follows `after`.
template <typename Key>
struct Page {
    std::optional<Key> after{};  ///< The last entry of the page before; empty: the first page.
    std::size_t limit = list_rows_max;  ///< At most list_rows_max.
};

/// The one way to items and what belongs to them.
///
/// Every function that changes something validates all of its input first, takes the row lock of
/// what it changes, writes, and emits exactly one event in the same transaction; a call that
/// changes nothing writes nothing and emits nothing. The lock is what makes the order of an
/// item's events the order of their commits. Exceptions to "one": delete_item() also tells of
/// each child that lost its parent, and delete_project() of each item that went with it.
///
/// `item.updated` carries its differences: {"field":"title","from":…,"to":…}; for the state
/// {"field":"state","from":{"name","category"},"to":{…}}; people as {"id","name"}, the parent as
/// {"id","key"}; labels and watchers as added and removed; description and contact by name only.
///
/// @throws radd::InvalidInput naming the field: a limit passed, invalid UTF-8, a NUL, a name,
///         person, parent or id that is not there. Nothing was written.
/// @throws radd::SqlError, radd::Unavailable as radd::Transaction::query().
/// [any-thread]: it keeps nothing between two calls.
class Directory : public radd::Service {
public:
    static constexpr std::string_view service_name = "items.directory";

    /// @throws radd::InvalidInput also if the key is taken.
    virtual Project create_project(radd::Transaction& tx,
                                   const NewProject& project,
                                   const Act& act) = 0;
    virtual bool rename_project(radd::Transaction& tx,
                                ProjectId id,
                                std::string_view name,
                                const Act& act) = 0;
    /// Deletes the project with its items, each as delete_item() does and children before their
    /// parents, so that none is told of losing a parent that goes with it. An item that is added
    /// meanwhile was there first, and is among them, or is refused. How many items went.
    /// @throws radd::InvalidInput naming "items" if there are any and `removal` leaves them, or if
    ///         more than removal_items_max would go or lose their parent.
    virtual std::size_t delete_project(radd::Transaction& tx,
                                       ProjectId id,
                                       const ProjectRemoval& removal,
                                       const Act& act) = 0;
    [[nodiscard]] virtual std::optional<Project> find_project(radd::Transaction& tx,
                                                              std::string_view key) = 0;
    /// In order of key.
    [[nodiscard]] virtual std::vector<Project> list_projects(radd::Transaction& tx,
                                                             const Page<std::string>& page) = 0;

    virtual Person create_person(radd::Transaction& tx,
                                 const NewPerson& person,
                                 const Act& act) = 0;
    /// The person of this uuid, made under this name if there is none: whoever has an account acts
    /// as the person of the same uuid, and becomes one with the first act. An existing person
    /// stays as it is, whatever the account is called by then, so this emits one person.created
    /// in the life of an account and nothing else. The caller vouches for both.
    virtual Person ensure_person(radd::Transaction& tx,
                                 const PersonId& id,
                                 std::string_view name) = 0;
    /// Sets name and address; false if both were so already.
    virtual bool update_person(radd::Transaction& tx, const Person& person, const Act& act) = 0;
    /// Sets what the patch names; false if it was so already.
    virtual bool update_person(radd::Transaction& tx,
                               const PersonId& id,
                               const PersonPatch& patch,
                               const Act& act) = 0;
    /// By uuid or address. @throws radd::InvalidInput if several people have the address.
    [[nodiscard]] virtual std::optional<Person> find_person(radd::Transaction& tx,
                                                            std::string_view id_or_email) = 0;
    [[nodiscard]] virtual std::optional<Person> find_person(radd::Transaction& tx,
                                                            const SourceId& source) = 0;
    /// In order of name, upper and lower case alike, then id.
    /// @throws radd::InvalidInput naming "after" if there is no such person.
    [[nodiscard]] virtual std::vector<Person> list_people(radd::Transaction& tx,
                                                          const Page<PersonId>& page) = 0;

    /// The state of this name, made if there is none. An existing one keeps its category.
    virtual State ensure_state(radd::Transaction& tx, const State& state) = 0;
    /// By exact name, else by one that differs in case only.
    [[nodiscard]] virtual std::optional<State> find_state(radd::Transaction& tx,
                                                          std::string_view name) = 0;
    /// In the order they were made, at most list_rows_max.
    [[nodiscard]] virtual std::vector<State> list_states(radd::Transaction& tx) = 0;

    virtual Item create_item(radd::Transaction& tx, const NewItem& item, const Act& act) = 0;
    /// What changed, as the event says it; empty if nothing did.
    virtual std::vector<radd::Change> update_item(radd::Transaction& tx,
                                                  ItemId id,
                                                  const ItemPatch& patch,
                                                  const Act& act) = 0;
    /// Emits an `item.updated` about something that happened elsewhere, without touching the
    /// item: one entry of an imported history. Empty `changes` are recorded too.
    virtual void record_change(radd::Transaction& tx,
                               ItemId id,
                               std::vector<radd::Change> changes,
                               const Act& act) = 0;
    /// With its comments and watchers; children lose their parent.
    virtual void delete_item(radd::Transaction& tx, ItemId id, const Act& act) = 0;

    [[nodiscard]] virtual std::optional<Item> find_item(radd::Transaction& tx, ItemId id) = 0;
    [[nodiscard]] virtual std::optional<Item> find_item(radd::Transaction& tx,
                                                        std::string_view key) = 0;
    [[nodiscard]] virtual std::optional<Item> find_item(radd::Transaction& tx,
                                                        const SourceId& source) = 0;
    /// In order of id.
    [[nodiscard]] virtual std::vector<Item> list_items(radd::Transaction& tx,
                                                       const ItemFilter& filter) = 0;

    /// The actor is the author.
    virtual Comment add_comment(radd::Transaction& tx,
                                ItemId item,
                                std::string_view body,
                                const Act& act,
                                const std::optional<SourceId>& source = {}) = 0;
    virtual bool update_comment(radd::Transaction& tx,
                                CommentId id,
                                std::string_view body,
                                const Act& act) = 0;
    virtual void delete_comment(radd::Transaction& tx, CommentId id, const Act& act) = 0;
    [[nodiscard]] virtual std::optional<Comment> find_comment(radd::Transaction& tx,
                                                              const SourceId& source) = 0;
    [[nodiscard]] virtual std::optional<Comment> find_comment(radd::Transaction& tx,
                                                              CommentId id) = 0;
    /// Oldest first. @throws radd::InvalidInput naming "after" if the item has no such comment.
    [[nodiscard]] virtual std::vector<Comment> list_comments(radd::Transaction& tx,
                                                             ItemId item,
                                                             const Page<CommentId>& page = {}) = 0;

    /// False if it was so already.
    virtual bool watch(radd::Transaction& tx,
                       ItemId item,
                       const PersonId& person,
                       const Act& act) = 0;
    virtual bool unwatch(radd::Transaction& tx,
                         ItemId item,
                         const PersonId& person,
                         const Act& act) = 0;
    /// In order of name, at most list_rows_max.
    [[nodiscard]] virtual std::vector<PersonName> list_watchers(radd::Transaction& tx,
                                                                ItemId item) = 0;
};

}  // namespace items
