#include <string>

#include <host/db/roles.hpp>
#include <host/db/roles_sql.hpp>
#include <radd/error.hpp>

namespace radd::db {

std::string_view role_statements() {
    return sql::grant_roles;
}

void grant_roles(Session& session) {
    session.begin();
    try {
        session.run_script(sql::grant_roles);
        session.commit();
    } catch (const Contention&) {
        session.rollback();
        throw;
    } catch (const SqlError& error) {
        session.rollback();
        throw ConfigError{
            "roles: " + std::string{error.what()} +
            "; run it as the owner of the schema radd, who also needs CREATEROLE unless the roles "
            "radd_emitter, radd_reader and radd_host are there already"};
    }
}

}  // namespace radd::db
