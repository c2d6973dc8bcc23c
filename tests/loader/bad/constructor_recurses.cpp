// Runs out of stack as soon as it is mapped.

namespace {

int deeper(int depth) {
    if (depth < 0) return 0;
    volatile char space[4096];  // NOLINT(modernize-avoid-c-arrays): what it is for.
    space[0] = static_cast<char>(depth);
    return deeper(depth + 1) + space[0];
}

[[gnu::constructor]] void recurses() {
    volatile int result = deeper(0);
    static_cast<void>(result);
}

}  // namespace
