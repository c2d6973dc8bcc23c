#pragma once

/// A CSV file as Jira exports it, with all that makes it hard.

namespace radd::testing {

/// The file of P39: a BOM, CR LF, quoted headers, repeated columns, a break inside a cell.
inline constexpr const char* repeated_columns =
    "\xEF\xBB\xBF"
    "\"Summary\",\"Issue key\",\"Issue Type\",\"Status\",\"Labels\",\"Labels\",\"Comment\","
    "\"Comment\",\"Sprint\",\"Sprint\"\r\n"
    "\"Deploy, then \"\"check\"\"\",OPS-1,Bug,Done,backend,urgent,"
    "\"12/Mar/24 9:15 AM;u1;Roll out at 9;30; then\r\nread logs\","
    "\"13/Mar/24 10:00 AM;u2;ok \U0001F600\",S1,S2\r\n"
    "\"No extras\",OPS-2,Bug,Weird status,,,,,,\r\n";

}  // namespace radd::testing
