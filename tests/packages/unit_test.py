"""The options that deploy/instantgp.service starts the program with exist.   unit_test.py PROGRAM UNIT"""
import pathlib
import re
import subprocess
import sys

program, unit = sys.argv[1], pathlib.Path(sys.argv[2]).read_text()
line = re.search(r"^ExecStart=\S*/instantgp serve (.*)$", unit, re.M).group(1)
told = subprocess.run([program, "serve", "--help"], check=True, capture_output=True, text=True).stdout
options = re.findall(r"(--[\w-]+)", line)
unknown = [option for option in options if not re.search(rf"^  (-\w,)?{option} ", told, re.M)]
if len(options) < 3 or unknown:
    sys.exit(f"{sys.argv[2]}: serve does not know {unknown or 'any option'}")
