// Calls through a pointer that nobody has set, as soon as it is mapped.

// UBSan of clang would look at what lies before the function, and crash here instead.
__attribute__((constructor, no_sanitize("undefined"))) static void calls_nothing() {
    void (*volatile nothing)() = nullptr;
    nothing();
}
