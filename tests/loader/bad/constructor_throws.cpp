// An exception where nobody can catch: the library is being opened.

#include <stdexcept>

[[gnu::constructor]] static void throws() {
    throw std::runtime_error{"no licence file"};
}
