#!/usr/bin/env python3
"""compare_numbers.py FIRST SECOND: what print_numbers wrote on two processors; fails where they differ too much.

A number of a Gaussian process may differ by 1e-9 of itself (of 1e-11 where it is smaller: derivatives that vanish), one of the
network, a logarithm of a parameter, by 1e-5.
"""
import sys

LIMITS = {"gp": 1e-9, "network": 1e-5}


def read(path):
    numbers = {}
    for line in open(path):
        kind, case, name, value = line.split()
        numbers[kind, int(case), name] = float(value)
    return numbers


def main(first, second):
    first, second = read(first), read(second)
    if first.keys() != second.keys() or {kind for kind, _, _ in first} != set(LIMITS):
        sys.exit("compare_numbers: the two files do not hold the same numbers")
    failed = False
    for kind, limit in LIMITS.items():
        worst, place, beyond = 0.0, None, 0
        keys = [key for key in first if key[0] == kind]
        for key in keys:
            scale = max(abs(first[key]), 1e-11) if kind == "gp" else 1.0
            difference = abs(first[key] - second[key]) / scale
            beyond += not difference <= limit
            if not difference <= worst:
                worst, place = difference, key
        failed |= beyond > 0
        print(f"{kind}: {len(keys)} numbers, {beyond} differ by more than {limit:g}, the largest by {worst:.3g} at {place}")
    sys.exit(failed)


if __name__ == "__main__":
    main(*sys.argv[1:])
