#include "jira_time.hpp"

#include <array>
#include <cstddef>

namespace importer {
namespace {

namespace chrono = std::chrono;

constexpr std::array<std::string_view, 12> months{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Takes what it is asked for from the front of a text, or fails for good.
class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_{text} {}

    [[nodiscard]] bool at_end() const { return ok_ && rest_.empty(); }

    bool take(char c) {
        const bool found = ok_ && rest_.starts_with(c);
        if (found) rest_.remove_prefix(1);
        return found;
    }
    bool take(std::string_view word) {
        const bool found = ok_ && rest_.starts_with(word);
        if (found) rest_.remove_prefix(word.size());
        return found;
    }
    void expect(char c) { ok_ = take(c); }

    int number(std::size_t digits_min, std::size_t digits_max) {
        int value = 0;
        std::size_t digits = 0;
        for (; digits < digits_max && starts_with_digit(); ++digits) value = value * 10 + digit();
        ok_ = ok_ && digits >= digits_min;
        return value;
    }

    /// Digits after the decimal sign; those beyond microseconds are read and dropped.
    chrono::microseconds fraction() {
        chrono::microseconds value{0};
        chrono::microseconds unit{100'000};
        ok_ = ok_ && starts_with_digit();
        for (; starts_with_digit(); unit /= 10) value += unit * digit();
        return value;
    }

    unsigned month_name() {
        for (std::size_t i = 0; i < months.size(); ++i) {
            if (take(months[i])) return static_cast<unsigned>(i + 1);
        }
        ok_ = false;
        return 0;
    }

private:
    [[nodiscard]] bool starts_with_digit() const {
        return ok_ && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }
    int digit() {
        const int value = rest_.front() - '0';
        rest_.remove_prefix(1);
        return value;
    }

    std::string_view rest_;
    bool ok_ = true;
};

std::optional<chrono::local_days> day(int year, unsigned month, int day_of_month) {
    if (year < year_min || year > year_max) return std::nullopt;
    const chrono::year_month_day date{
        chrono::year{year}, chrono::month{month}, chrono::day{static_cast<unsigned>(day_of_month)}};
    if (!date.ok()) return std::nullopt;
    return chrono::local_days{date};
}

/// A leap second is the last one of a day in UTC and is told as the first of the next, as
/// PostgreSQL tells it.
bool is_second(int second, chrono::minutes of_day, const std::optional<chrono::minutes>& offset) {
    if (second < 60) return true;
    constexpr chrono::minutes full_day = chrono::hours{24};
    return second == 60 && offset &&
           (of_day - *offset + full_day) % full_day == full_day - chrono::minutes{1};
}

std::optional<JiraTime> parse_iso(Scanner scan) {
    const int year = scan.number(4, 4);
    scan.expect('-');
    const int month = scan.number(2, 2);
    scan.expect('-');
    const int day_of_month = scan.number(2, 2);
    if (!scan.take('T')) scan.expect(' ');
    const int hour = scan.number(2, 2);
    scan.expect(':');
    const int minute = scan.number(2, 2);
    const int second = scan.take(':') ? scan.number(2, 2) : 0;
    const auto fraction = scan.take('.') ? scan.fraction() : chrono::microseconds{0};

    std::optional<chrono::minutes> offset;
    if (scan.take('Z')) {
        offset = chrono::minutes{0};
    } else if (!scan.at_end()) {
        const int sign = scan.take('-') ? -1 : 1;
        if (sign == 1) scan.expect('+');
        const int hours = scan.number(2, 2);
        const int minutes = scan.take(':') ? scan.number(2, 2) : scan.number(0, 2);
        if (hours > 18 || minutes > 59) return std::nullopt;
        offset = sign * (chrono::hours{hours} + chrono::minutes{minutes});
    }
    const auto date = day(year, static_cast<unsigned>(month), day_of_month);
    if (!scan.at_end() || !date || hour > 23 || minute > 59) return std::nullopt;
    const auto of_day = chrono::hours{hour} + chrono::minutes{minute};
    if (!is_second(second, of_day, offset)) return std::nullopt;
    return JiraTime{.wall = *date + of_day + chrono::seconds{second} + fraction, .offset = offset};
}

int full_year(int written) {
    return written < 100 ? 2000 + written : written;
}

/// " 2:30 AM", " 14:30", " 14:30:59", to the end.
std::optional<JiraTime> with_time_of_day(Scanner scan,
                                         const std::optional<chrono::local_days>& date) {
    scan.expect(' ');
    int hour = scan.number(1, 2);
    scan.expect(':');
    const int minute = scan.number(2, 2);
    const int second = scan.take(':') ? scan.number(2, 2) : 0;
    const bool am = scan.take(" AM");
    const bool pm = !am && scan.take(" PM");
    if ((am || pm) && (hour < 1 || hour > 12)) return std::nullopt;
    if (am || pm) hour = hour % 12 + (pm ? 12 : 0);

    if (!scan.at_end() || !date || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return JiraTime{.wall = *date + chrono::hours{hour} + chrono::minutes{minute} +
                            chrono::seconds{second}};
}

std::optional<JiraTime> parse_export(Scanner scan) {
    const int day_of_month = scan.number(1, 2);
    scan.expect('/');
    const unsigned month = scan.month_name();
    scan.expect('/');
    const int year = full_year(scan.number(2, 4));
    return with_time_of_day(scan, day(year, month, day_of_month));
}

std::optional<JiraTime> parse_numbers(Scanner scan, DateOrder order) {
    if (order == DateOrder::none) return std::nullopt;
    const bool year_first = order == DateOrder::year_month_day;
    const int first = year_first ? scan.number(2, 4) : scan.number(1, 2);
    const char sign = scan.take('/') ? '/' : scan.take('.') ? '.' : '-';
    if (sign == '-') scan.expect('-');
    const int second = scan.number(1, 2);
    scan.expect(sign);
    const int third = year_first ? scan.number(1, 2) : scan.number(2, 4);

    const int year = full_year(year_first ? first : third);
    const int month = order == DateOrder::month_day_year ? first : second;
    const int day_of_month = year_first                           ? third
                             : order == DateOrder::month_day_year ? second
                                                                  : first;
    return with_time_of_day(scan, day(year, static_cast<unsigned>(month), day_of_month));
}

}  // namespace

std::optional<DateOrder> date_order_of(std::string_view name) {
    if (name == "dmy") return DateOrder::day_month_year;
    if (name == "mdy") return DateOrder::month_day_year;
    if (name == "ymd") return DateOrder::year_month_day;
    return std::nullopt;
}

std::optional<JiraTime> parse_jira_time(std::string_view text, DateOrder order) {
    if (const auto time = parse_iso(Scanner{text})) return time;
    if (const auto time = parse_export(Scanner{text})) return time;
    return parse_numbers(Scanner{text}, order);
}

Instant instant_of(const JiraTime& time, const Zone& zone) {
    if (!time.offset) return zone(time.wall);
    return {.at = radd::Timestamp{time.wall.time_since_epoch() - *time.offset}};
}

}  // namespace importer
