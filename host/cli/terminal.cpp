#include <charconv>
#include <iostream>

#include <host/cli/terminal.hpp>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace radd::cli {
namespace {

constexpr std::size_t columns_min = 20;

std::optional<std::size_t> number_from(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
    return number;
}

}  // namespace

Terminal terminal_of(const std::ostream& out, const config::EnvLookup& environment) {
    if (&out != &std::cout) return {};
    Terminal terminal{.colour = false, .columns = number_from(environment("COLUMNS"))};
    if (isatty(STDOUT_FILENO) == 1) {
        terminal.colour = environment("NO_COLOR").value_or("").empty() &&
                          environment("TERM").value_or("dumb") != "dumb";
        winsize size{};
        if (!terminal.columns && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
            terminal.columns = size.ws_col;
    }
    if (terminal.columns && *terminal.columns < columns_min) terminal.columns.reset();
    return terminal;
}

bool is_watched(const std::ostream& err) {
    return &err == &std::cerr && isatty(STDERR_FILENO) == 1;
}

bool reader_has_gone(const std::ostream& out) {
    if (&out != &std::cout) return false;
    pollfd looked{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
    return poll(&looked, 1, 0) == 1 && (looked.revents & (POLLERR | POLLHUP)) != 0;
}

std::string painted(std::string_view text, Tone tone) {
    std::string_view escape;
    switch (tone) {
        case Tone::plain:
            return std::string{text};
        case Tone::good:
            escape = "\x1b[32m";
            break;
        case Tone::busy:
            escape = "\x1b[33m";
            break;
        case Tone::bad:
            escape = "\x1b[31m";
            break;
        case Tone::quiet:
            escape = "\x1b[2m";
            break;
    }
    return std::string{escape} + std::string{text} + "\x1b[0m";
}

}  // namespace radd::cli
