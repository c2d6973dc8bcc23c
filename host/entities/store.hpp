#pragma once

/// Rows of declared entities: each change and the events that tell of it land together.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <host/entities/model.hpp>
#include <radd/transaction.hpp>

namespace radd::entities {

inline constexpr std::size_t page_rows = 100;      ///< Unless `limit` says otherwise.
inline constexpr std::size_t page_rows_max = 500;  ///< Of one list.
/// Rows that one deletion may delete or clear, itself included; past it 409.
inline constexpr std::size_t removal_rows_max = 1000;

/// What the call is about is not there.
class Missing final : public InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

/// The row, or another one, stands in the way: a unique value, a reference, a version.
class Conflict final : public InvalidInput {
public:
    using InvalidInput::InvalidInput;
};

struct Row {
    std::int64_t id = 0;
    std::int64_t version = 0;  ///< 1, and one more with each change.
    std::string created_at;
    std::string updated_at;
    std::vector<std::optional<std::string>> values;  ///< Of each field; see stored_value().
};

/// What a caller gives: an index of a field and what is to be stored there.
using Given = std::vector<std::pair<std::size_t, std::optional<std::string>>>;

/// Every function throws InvalidInput naming the field that is to blame, and otherwise as
/// Transaction::query(). [any-thread]
class Store {
public:
    /// Both are lent for the store's life. `actor` is whom the events name.
    Store(const Model& model, Transaction& tx, std::optional<std::string> actor)
        : model_{model}, tx_{tx}, actor_{std::move(actor)} {}

    [[nodiscard]] std::optional<Row> find(const Entity& entity, std::int64_t id);
    /// After `after`, in order of id.
    [[nodiscard]] std::vector<Row> list(const Entity& entity,
                                        const Given& filters,
                                        std::int64_t after,
                                        std::size_t limit);

    [[nodiscard]] Row create(const Entity& entity, const Given& given);
    /// What changes nothing is no error and no event. With `version`, the row must have it.
    /// @throws Missing, Conflict.
    [[nodiscard]] Row change(const Entity& entity,
                             std::int64_t id,
                             const Given& given,
                             std::optional<std::int64_t> version);
    /// With what refers to it, as each reference says; deepest first. @throws Missing, Conflict.
    void remove(const Entity& entity, std::int64_t id, std::optional<std::int64_t> version);

    /// What refers to an entity that code has deleted, by `field`: cleared or deleted, however
    /// much it is.
    void sweep(const Referrer& referrer, std::string_view parent_id);

private:
    struct Removal {
        std::set<std::pair<const Entity*, std::int64_t>> deleted{};  ///< Or about to be.
        std::size_t rows = 0;
        bool is_bounded = true;
    };

    [[nodiscard]] Row locked(const Entity& entity,
                             std::int64_t id,
                             std::optional<std::int64_t> version);
    [[nodiscard]] Given resolved(const Entity& entity, const Given& given);
    [[nodiscard]] std::string existing(const FieldSpec& field, const std::string& id);
    void remove(const Entity& entity, const Row& row, Removal& removal);
    void release(const Referrer& referrer, const std::string& parent_id, Removal& removal);
    static void count(const Entity& entity, Removal& removal);
    void emit(EventType type,
              const Entity& entity,
              const Row& row,
              std::optional<std::vector<Change>> changes);

    const Model& model_;
    Transaction& tx_;
    std::optional<std::string> actor_;
};

/// Entity type whose id events carry beside their payload: NewEvent::project_id.
inline constexpr std::string_view project_key = "project";

/// Which references become subjects of the entity's events: those that alone refer to their type.
[[nodiscard]] std::vector<std::size_t> subject_fields(const Entity& entity);

/// The canonical description of each of `ids`, as EntityRefSpec::ref: id and short fields.
[[nodiscard]] std::vector<std::optional<JsonText>> refs_of(const Model& model,
                                                           const Entity& entity,
                                                           Transaction& tx,
                                                           std::span<const std::string> ids);
/// What a search finds each of `ids` by, as EntityRefSpec::document.
[[nodiscard]] std::vector<std::optional<SearchDocument>> documents_of(
    const Entity& entity, Transaction& tx, std::span<const std::string> ids);

/// The whole row as the routes give it.
[[nodiscard]] json row_json(const Model& model, const Entity& entity, const Row& row);

/// Rethrows what PostgreSQL refused because of another row that came first as a Conflict.
[[noreturn]] void rethrow_conflict(const Entity& entity, const SqlError& error);

}  // namespace radd::entities
