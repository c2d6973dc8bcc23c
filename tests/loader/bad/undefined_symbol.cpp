// Refers to what no library defines; linked where the linker is told not to mind.

namespace elsewhere {
void nobody_defines_this(int);
}

[[gnu::used, gnu::retain]] void (*const fixture_refers_to)(int) = &elsewhere::nobody_defines_this;
