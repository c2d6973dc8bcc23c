#pragma once

/// The directory over the tables of schema `items`.

#include <items/service.hpp>

namespace items {

/// Keeps nothing: everything is in the transaction it is lent. The parts of the implementation
/// are directory_projects.cpp, directory_items.cpp, directory_people.cpp and
/// directory_comments.cpp.
class SqlDirectory final : public Directory {
public:
    Project create_project(radd::Transaction& tx,
                           const NewProject& project,
                           const Act& act) override;
    bool rename_project(radd::Transaction& tx,
                        ProjectId id,
                        std::string_view name,
                        const Act& act) override;
    std::size_t delete_project(radd::Transaction& tx,
                               ProjectId id,
                               const ProjectRemoval& removal,
                               const Act& act) override;
    std::optional<Project> find_project(radd::Transaction& tx, std::string_view key) override;
    std::vector<Project> list_projects(radd::Transaction& tx,
                                       const Page<std::string>& page) override;

    Person create_person(radd::Transaction& tx, const NewPerson& person, const Act& act) override;
    Person ensure_person(radd::Transaction& tx, const PersonId& id, std::string_view name) override;
    bool update_person(radd::Transaction& tx, const Person& person, const Act& act) override;
    bool update_person(radd::Transaction& tx,
                       const PersonId& id,
                       const PersonPatch& patch,
                       const Act& act) override;
    std::optional<Person> find_person(radd::Transaction& tx, std::string_view id_or_email) override;
    std::optional<Person> find_person(radd::Transaction& tx, const SourceId& source) override;
    std::vector<Person> list_people(radd::Transaction& tx, const Page<PersonId>& page) override;

    State ensure_state(radd::Transaction& tx, const State& state) override;
    std::optional<State> find_state(radd::Transaction& tx, std::string_view name) override;
    std::vector<State> list_states(radd::Transaction& tx) override;

    Item create_item(radd::Transaction& tx, const NewItem& item, const Act& act) override;
    std::vector<radd::Change> update_item(radd::Transaction& tx,
                                          ItemId id,
                                          const ItemPatch& patch,
                                          const Act& act) override;
    void record_change(radd::Transaction& tx,
                       ItemId id,
                       std::vector<radd::Change> changes,
                       const Act& act) override;
    void delete_item(radd::Transaction& tx, ItemId id, const Act& act) override;
    std::optional<Item> find_item(radd::Transaction& tx, ItemId id) override;
    std::optional<Item> find_item(radd::Transaction& tx, std::string_view key) override;
    std::optional<Item> find_item(radd::Transaction& tx, const SourceId& source) override;
    std::vector<Item> list_items(radd::Transaction& tx, const ItemFilter& filter) override;

    Comment add_comment(radd::Transaction& tx,
                        ItemId item,
                        std::string_view body,
                        const Act& act,
                        const std::optional<SourceId>& source) override;
    bool update_comment(radd::Transaction& tx,
                        CommentId id,
                        std::string_view body,
                        const Act& act) override;
    void delete_comment(radd::Transaction& tx, CommentId id, const Act& act) override;
    std::optional<Comment> find_comment(radd::Transaction& tx, const SourceId& source) override;
    std::optional<Comment> find_comment(radd::Transaction& tx, CommentId id) override;
    std::vector<Comment> list_comments(radd::Transaction& tx,
                                       ItemId item,
                                       const Page<CommentId>& page) override;

    bool watch(radd::Transaction& tx, ItemId item, const PersonId& person, const Act& act) override;
    bool unwatch(radd::Transaction& tx,
                 ItemId item,
                 const PersonId& person,
                 const Act& act) override;
    std::vector<PersonName> list_watchers(radd::Transaction& tx, ItemId item) override;
};

}  // namespace items
