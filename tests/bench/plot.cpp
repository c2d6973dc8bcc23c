#include <algorithm>
#include <cmath>
#include <cstdio>

#include <tests/bench/report.hpp>

namespace radd::bench {
namespace {

constexpr double row_height = 22;
constexpr double label_width = 470;
constexpr double bar_width = 420;  ///< From a tenth of the goal to a hundred times it.
constexpr double value_width = 170;
constexpr double top = 48;
constexpr double decades_below = 1;
constexpr double decades = 3;

/// Where a factor stands on the axis, which is logarithmic.
double place(double factor) {
    const double exponent = std::clamp(std::log10(factor) + decades_below, 0.0, decades);
    return label_width + exponent / decades * bar_width;
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '&') {
            out += "&amp;";
        } else {
            out += c;
        }
    }
    return out;
}

std::string fixed(double value, int digits = 1) {
    char text[32]{};
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
    return "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" text-anchor=\"" + anchor + "\">" +
           escaped(text) + "</text>\n";
}

std::string bar(const Figure& figure, double reached, double y) {
    const double from = std::min(place(1), place(reached));
    const double to = std::max(place(1), place(reached));
    const double found = figure.ratio.value_or(figure.ours);
    return text_at(label_width - 8, y + 15, "end", figure.what) + "<rect x=\"" + fixed(from) +
           "\" y=\"" + fixed(y + 4) + "\" width=\"" + fixed(std::max(to - from, 1.0)) +
           "\" height=\"" + fixed(row_height - 8) + "\" fill=\"" +
           (reached >= 1 ? "#2e7d4f" : "#c0392b") + "\"/>\n" +
           text_at(label_width + bar_width + 8,
                   y + 15,
                   "start",
                   fixed(found, found < 100 ? 2 : 0) + "  (" + figure.goal + ")");
}

}  // namespace

std::string plot(const std::vector<Figure>& figures) {
    std::string rows;
    double y = top;
    for (const Figure& figure : figures) {
        const auto reached = figure.reached();
        if (!reached) continue;
        rows += bar(figure, *reached, y);
        y += row_height;
    }
    std::string axis;
    for (const auto& [factor, label] :
         {std::pair{0.1, "0.1"}, {1.0, "the goal"}, {10.0, "10 times"}, {100.0, "100 times"}}) {
        const std::string x = fixed(place(factor));
        axis += "<line x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + fixed(top - 6) + "\" y2=\"" +
                fixed(y) + "\" stroke=\"" + (factor == 1.0 ? "#222" : "#ccc") + "\"/>\n" +
                text_at(place(factor), top - 12, "middle", label);
    }
    const std::string width = fixed(label_width + bar_width + value_width);
    const std::string height = fixed(y + 16);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " + height +
           "\" width=\"" + width + "\" height=\"" + height +
           "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
           "<title>How far each figure is beyond its goal</title>\n" +
           axis + rows + "</svg>\n";
}

}  // namespace radd::bench
