#include <cstddef>
#include <cstdint>

#include <tests/fuzz/answer_body.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::check_answer({reinterpret_cast<const char*>(data), size});
    return 0;
}
