// Calls through a pointer that nobody has set, as soon as it is mapped.

[[gnu::constructor]] static void calls_nothing() {
    void (*volatile nothing)() = nullptr;
    nothing();
}
