// Waits for a thread that waits for the dynamic linker, which waits for this constructor.

#include <thread>

#include <dlfcn.h>

[[gnu::constructor]] static void joins() {
    std::thread{[] { ::dlopen("libz.so.1", RTLD_NOW); }}.join();
}
