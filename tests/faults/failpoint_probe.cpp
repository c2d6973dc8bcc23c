// Compiled twice, as in a test build and as in a release: what is left of a place to die at?

#include <host/db/failpoint.hpp>

void work_with_a_place_to_die();

void work_with_a_place_to_die() {
    RADD_FAILPOINT("probe.point", "probe.subject");
}
