// Never ends being opened.

#include <unistd.h>

[[gnu::constructor]] static void hangs() {
    for (;;) ::pause();
}
