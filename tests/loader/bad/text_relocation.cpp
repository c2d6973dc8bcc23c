// Code with an address in it, which must be written into it when it is mapped.

asm(R"(
    .pushsection .text
    .quad radd_plugin_entry_v1
    .popsection
)");
