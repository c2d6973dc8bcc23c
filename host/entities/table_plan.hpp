#pragma once

/// From the tables that are there to those that are declared.

#include <string>
#include <vector>

#include <host/config/problem.hpp>
#include <host/db/migrate.hpp>
#include <host/entities/model.hpp>

namespace radd::entities {

/// What is to be done cannot be done without losing or changing rows: E74, each with the SQL to run
/// and the rows that stand in the way.
class ChangesRefused : public ConfigError {
public:
    explicit ChangesRefused(config::Problems problems);
    [[nodiscard]] const config::Problems& problems() const noexcept { return problems_; }

private:
    config::Problems problems_;
};

/// The tables of `plugin`'s entities as migrations of the owner `<plugin>.entities`. What loses
/// nothing is planned: a new table, a column that is nullable or has a default, more room, more
/// values, an index, a rule that every row keeps already. The rest is refused by throwing
/// ChangesRefused, and then nothing of this plugin is done. `file` is what problems name.
[[nodiscard]] db::PlannedMigrations table_migrations(const Model& model,
                                                     const std::string& plugin,
                                                     const std::string& file);

}  // namespace radd::entities
