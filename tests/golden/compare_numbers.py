#!/usr/bin/env python3
"""compare_numbers.py FIRST SECOND: what print_numbers wrote on two processors; fails where they differ too much.

A number in double, of a Gaussian process or of the network, may differ by 1e-9 of itself (of 1e-11 where it is smaller:
derivatives that vanish). One of the network in float, a logarithm of a parameter, may differ by 1e-5 between two processors. From
the same number in double it may be 2e-5 on either: rounding takes it up to 0.7e-5 away with AVX2, 0.4e-5 with SSE, 1.4e-5 with NEON.
"""
import sys

IN_DOUBLE = 1e-9
IN_FLOAT = 1e-5
FROM_DOUBLE = 2e-5


def read(path):
    numbers = {}
    for line in open(path):
        kind, case, name, value = line.split()
        numbers.setdefault(kind, {})[int(case), name] = float(value)
    return numbers


def report(what, first, second, limit, relative):
    """Prints the largest difference; how many are beyond the limit."""
    worst, place, beyond = 0.0, None, 0
    for key, number in first.items():
        difference = abs(number - second[key]) / (max(abs(number), 1e-11) if relative else 1.0)
        beyond += not difference <= limit
        if not difference <= worst:
            worst, place = difference, key
    print(f"{what}: {len(first)} numbers, {beyond} differ by more than {limit:g}, the largest by {worst:.3g} at {place}")
    return beyond


def main(first, second):
    first, second = read(first), read(second)
    if any(first.get(kind, {}).keys() != second.get(kind, {}).keys() for kind in {*first, *second}) \
            or {*first} != {"gp", "network", "double"}:
        sys.exit("compare_numbers: the two files do not hold the same numbers")
    failed = report("Gaussian processes", first["gp"], second["gp"], IN_DOUBLE, True)
    failed += report("network in double", first["double"], second["double"], IN_DOUBLE, True)
    failed += report("network, first against double", first["network"], first["double"], FROM_DOUBLE, False)
    failed += report("network, second against double", second["network"], second["double"], FROM_DOUBLE, False)
    failed += report("network, first against second", first["network"], second["network"], IN_FLOAT, False)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
