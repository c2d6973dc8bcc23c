// A symbol that leaked because the version script was forgotten.

extern "C" [[gnu::visibility("default")]] int leaked_function() {
    return 1;
}
