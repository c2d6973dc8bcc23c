// State that every library which has it shares, because somebody exports what a template made.
// Said to the assembler, because not every compiler makes such symbols.

asm(R"(
    .pushsection .data
    .globl shared_state
    .type shared_state, @gnu_unique_object
    .size shared_state, 4
shared_state:
    .long 0
    .popsection
)");
