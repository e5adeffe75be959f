"""Every command has a page, and every option is on it and known to the completions of three shells.

    manuals_test.py PACKAGING PROGRAM FOLDER
"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest


def words_in_help(*command):
    """Options by a look at the help that shares nothing with the parser under test."""
    text = subprocess.run([PROGRAM, *command, "--help"], check=True, capture_output=True, text=True).stdout
    found = set()
    for line in text.splitlines():
        if re.match(r"  -", line):
            found |= set(re.findall(r"(?:^|,)(-[\w-]+)", line.split()[0]))
    return text, found


class Manuals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text, _ = words_in_help()
        block = text.split("ommands:\n")[1].split("\n\n")[0]
        cls.commands = [line.split()[0] for line in block.splitlines()]
        assert len(cls.commands) >= 11, cls.commands

    def page(self, command):
        return (FOLDER / "man1" / ("-".join(["instantgp", *command]) + ".1")).read_text()

    def test_every_command_has_a_page_with_every_option(self):
        for command in [[]] + [[name] for name in self.commands]:
            text, options = words_in_help(*command)
            page = self.page(command).replace("\\-", "-")
            self.assertGreaterEqual(len(options), 3)
            for option in options:
                self.assertIn(f"\\fB{option}\\fR", page, command)
            for example in re.findall(r"^  (instantgp .*|curl .*|mpirun .*)$", text, re.M):
                self.assertIn(example.strip().replace("\\", "\\e"), page)
        self.assertEqual(len(list((FOLDER / "man1").glob("*.1"))), 1 + len(self.commands))

    def test_pages_are_well_formed(self):
        if not shutil.which("man"):
            self.skipTest("there is no man")
        for page in (FOLDER / "man1").glob("*.1"):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True,
                                  text=True, env={"PATH": "/usr/bin:/bin", "MANROFFSEQ": "", "MANWIDTH": "120", "LC_ALL": "C.UTF-8"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)

    def complete(self, *words):
        script = (f"source {FOLDER}/completions/instantgp; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; "
                  "_instantgp; printf '%s\\n' \"${COMPREPLY[@]}\"")
        return set(subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True).stdout.split())

    def test_bash(self):
        self.assertLessEqual(set(self.commands), self.complete("instantgp", "''"))
        self.assertEqual(self.complete("instantgp", "fore"), {"forecast"})
        for command in self.commands:
            self.assertEqual(self.complete("instantgp", command, "-"), words_in_help(command)[1], command)
        self.assertEqual(self.complete("instantgp", "fit", "--hold"), {"--holdout"})
        self.assertEqual(self.complete("instantgp", "fit", "da"), set())  # the shell's own: files

    def test_zsh_and_fish_know_every_option(self):
        zsh = (FOLDER / "completions" / "_instantgp").read_text()
        fish = (FOLDER / "completions" / "instantgp.fish").read_text()
        for command in self.commands:
            _, options = words_in_help(command)
            part = zsh.split(f"\n  {command})\n")[1].split("\n    ;;")[0]
            self.assertEqual(set(re.findall(r"^      '(?:\([^)]*\))?(-[\w-]+)\[", part, re.M)), options, command)
            told = re.findall(rf"__fish_seen_subcommand_from {command}' (.*?) -d ", fish)
            self.assertEqual({("--" if kind == "l" else "-") + name for line in told for kind, name in
                              re.findall(r"-([ls]) ([\w-]+)", line)}, options, command)
        for shell, file in [("zsh", "_instantgp"), ("fish", "instantgp.fish")]:
            if shutil.which(shell):
                subprocess.run([shell, "-n", FOLDER / "completions" / file], check=True)

    def test_the_parser_reads_what_the_help_says(self):
        sys.path.insert(0, PACKAGING)
        import help_text
        command = help_text.parse("x", "Do it.\n\nUsage: instantgp x [F] [OPTIONS]\n\nOptions:\n  -a,--all N              All\n"
                                  "  --a-very-long-option-name VALUE\n                          Its text\n\nWords here.\n\n"
                                  "Examples:\n  instantgp x\n\nMore words.\n")
        self.assertEqual([(o.names, o.value, o.text) for o in command.options()],
                         [(["-a", "--all"], "N", "All"), (["--a-very-long-option-name"], "VALUE", "Its text")])
        self.assertEqual(command.rest, [("", ["Words here."]), ("Examples", ["  instantgp x"]), ("", ["More words."])])


if __name__ == "__main__":
    PACKAGING, PROGRAM, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    unittest.main(argv=sys.argv[:1])
