// A library that is no plugin, with the one symbol that would make it look like one.

extern "C" [[gnu::visibility("default")]] const void* radd_plugin_entry_v1() {
    return nullptr;
}
