#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/plugins/report.hpp>

using namespace radd;

TEST_SUITE("shipped plugin") {
    TEST_CASE("exports one symbol and would be opened by this host") {
        std::istringstream names{RADD_SHIPPED_PLUGINS};
        int checked = 0;
        for (std::string name; names >> name; ++checked) {
            CAPTURE(name);
            const auto inspection = loader::inspect(std::filesystem::path{RADD_BINARY_DIR} /
                                                    "plugins" / (name + ".so"));

            CHECK(loader::problems_text(inspection.problems).empty());
            REQUIRE(inspection.elf);
            CHECK(inspection.elf->exports == std::vector<std::string>{"radd_plugin_entry_v1"});
            CHECK(inspection.elf->unique_exports.empty());
            REQUIRE(inspection.elf->note);
            CHECK(inspection.elf->note->id == name);
            CHECK(inspection.elf->seal);
        }
        CHECK(checked > 0);
    }
}
