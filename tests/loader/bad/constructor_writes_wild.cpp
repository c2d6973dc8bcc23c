// Writes to where nothing is, as soon as it is mapped.

[[gnu::constructor]] static void writes_wild() {
    volatile int* volatile nowhere = reinterpret_cast<int*>(8);
    *nowhere = 1;
}
