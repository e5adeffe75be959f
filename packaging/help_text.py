"""What `instantgp COMMAND --help` says, as data: the one source of manual pages and completions."""
import dataclasses
import re
import subprocess

LISTS = {"Arguments", "Positionals", "Options", "Common options", "Commands", "Subcommands"}


@dataclasses.dataclass
class Option:
    names: list  # "-k", "--kernel"
    value: str  # "EXPR"; empty for a flag
    text: str


@dataclasses.dataclass
class Command:
    name: str  # "fit"; empty for the program itself
    summary: str
    usage: str
    lists: list  # (title, [Option]): arguments, options, commands
    rest: list  # (title or "", lines): what follows in words and examples

    def options(self):
        return [option for title, entries in self.lists for option in entries if option.names[0].startswith("-")]

    def entries(self, *titles):
        return [entry for title, entries in self.lists if title in titles for entry in entries]


def entries_of(lines):
    """'  -k,--kernel EXPR        Kernel expression'; a text may begin on the line after a long name."""
    found = []
    for line in lines:
        if re.match(r"  \S", line):
            left, _, text = line.strip().partition("  ")
            names, _, value = left.partition(" ")
            found.append(Option(names.split(","), value, text.strip()))
        elif line.strip():
            found[-1].text = (found[-1].text + " " + line.strip()).strip()
    return found


def parse(name, text):
    lines = text.rstrip("\n").split("\n")
    usage = next(i for i, line in enumerate(lines) if line.startswith("Usage: "))
    command = Command(name, " ".join(lines[:usage]).strip().rstrip("."), lines[usage][len("Usage: "):], [], [])
    title, block = "", []

    def close():
        while block and not block[-1].strip():
            block.pop()
        if title in LISTS:
            command.lists.append((title, entries_of(block)))
        elif block:
            command.rest.append((title, list(block)))

    for line in lines[usage + 1:]:
        heading = re.fullmatch(r"([A-Z][a-z ]+):", line)
        after_list = title in LISTS and line and not line.startswith(" ")
        if heading or after_list or (title and not line.startswith(" ") and line):
            close()
            title, block = (heading.group(1), []) if heading else ("", [line])
        elif block or line.strip():
            block.append(line)
    close()
    return command


def read(program):
    """The program itself, then its commands in the order of its help."""
    def ask(*arguments):
        return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout

    commands = [parse("", ask("--help"))]
    for entry in commands[0].entries("Commands", "Subcommands"):
        commands.append(parse(entry.names[0], ask(entry.names[0], "--help")))
    if len(commands) < 2:
        raise SystemExit(f"{program} --help names no commands")
    version = ask("--version").split()[-1]
    return version, commands
