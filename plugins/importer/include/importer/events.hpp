#pragma once

/// What becomes of an import. Neither is ever silent, however quiet the import was: they tell that
/// it has been, and not what it brought.

#include <array>
#include <cstdint>

#include <radd/vocabulary.hpp>

namespace importer {

enum class ImportEntity : std::uint8_t { file_import };

consteval auto entity_names(ImportEntity) {
    return std::array{radd::Named{ImportEntity::file_import, "import"}};
}

enum class ImportEvent : std::uint8_t {
    finished,     ///< Once, when all that it wrote is committed: `counts`.
    rolled_back,  ///< Each time that somebody had something of it taken back: `counts`.
};

consteval auto event_names(ImportEvent) {
    return std::array{
        radd::Named{ImportEvent::finished, "import.finished"},
        radd::Named{ImportEvent::rolled_back, "import.rolled_back"},
    };
}

}  // namespace importer
