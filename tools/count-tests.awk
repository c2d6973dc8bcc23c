# Reads `ctest -V`, prints a line for each test and the output of those that failed, and writes
# "<passed> <failed>" to the file that -v counts= names.
#
# A doctest executable counts as its cases and a file for node's test runner as its tests, any
# other entry as one. One that failed without a failed case (killed, timed out, a leak at exit, no
# cases at all) counts as one failure more.

# "12: text" is what test 12 printed.
/^[0-9]+: / {
    number = $1 + 0
    text = $0
    sub(/^[0-9]+: /, "", text)
    output[number] = output[number] text "\n"
    if (text ~ /^\[doctest\] test cases: /) {
        # The last one: a test may run another doctest executable and print what it said.
        split(text, part, "|")
        cases_passed[number] = part[2] + 0
        cases_failed[number] = part[3] + 0
        has_cases[number] = 1
    }
    if (text ~ /^# (pass|fail|cancelled) [0-9]+$/) {
        split(text, part, " ")
        if (part[2] == "pass") cases_passed[number] = part[3] + 0
        else cases_failed[number] += part[3] + 0
        has_cases[number] = 1
    }
    next
}

# " 3/15 Test #12: name ....   Passed    0.02 sec"
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    print
    match($0, /#[0-9]+/)
    number = substr($0, RSTART + 1, RLENGTH - 1) + 0
    passed += cases_passed[number]
    failed += cases_failed[number]
    is_fixture = ($0 ~ /: [a-z_]+\.(start|stop) /)

    if ($0 ~ /\*\*\*(Skipped|Not Run \(Disabled\))/) {
        # Neither.
    } else if ($0 ~ /   Passed /) {
        # Starting a database proves nothing about radd; failing to start it is a failure.
        if (!has_cases[number] && !is_fixture) passed += 1
    } else {
        if (!cases_failed[number]) failed += 1
        printf "%s", output[number]
    }
    delete output[number]
    # Into a file or a pipe as well, or nobody sees how far it is before it ends.
    fflush()
    next
}

/^No tests were found|^CMake Error|^Cannot|^Unable/ { print }

END { print passed + 0, failed + 0 > counts }
