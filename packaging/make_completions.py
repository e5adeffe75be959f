#!/usr/bin/env python3
"""make_completions.py PROGRAM FOLDER: completions for bash, zsh and fish, from the program's help.

They know commands and options; for values every shell completes names of files.
"""
import pathlib
import sys

import help_text


def names_of(command, long_only=False):
    return [name for option in command.options() for name in option.names if name.startswith("--") or not long_only]


def bash(commands):
    program, others = commands[0], commands[1:]
    cases = "\n".join(f'    {command.name}) words="{" ".join(names_of(command))}" ;;' for command in others)
    first = " ".join([command.name for command in others] + names_of(program))
    return f"""# Completion of instantgp for bash; made from its help.
_instantgp() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words=""
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "{first}" -- "$current"))
    return
  fi
  [[ $current == -* ]] || return  # a file
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o bashdefault -o default -F _instantgp instantgp
"""


def zsh_quoted(text):
    for character in "\\[]:":
        text = text.replace(character, "\\" + character)
    return text.replace("'", "'\\''")


def zsh(commands):
    lines = ["#compdef instantgp", "# Completion of instantgp for zsh; made from its help.", "",
             "local -a commands", "commands=("]
    lines += [f"  '{command.name}:{zsh_quoted(command.summary)}'" for command in commands[1:]]
    lines += [")", "if (( CURRENT == 2 )); then", "  _describe command commands",
              f"  compadd -- {' '.join(names_of(commands[0]))}", "  return", "fi", "case $words[2] in"]
    for command in commands[1:]:
        lines += [f"  {command.name})", "    _arguments -S \\"]
        for option in command.options():
            value = f":{zsh_quoted(option.value)}:_files" if option.value else ""
            others = f"({' '.join(option.names)})" if len(option.names) > 1 else ""
            lines += [f"      '{others}{name}[{zsh_quoted(option.text)}]{value}' \\" for name in option.names]
        lines += ["      '*:file:_files'", "    ;;"]
    return "\n".join(lines + ["esac", ""])


def fish(commands):
    def quoted(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    names = " ".join(command.name for command in commands[1:])
    lines = ["# Completion of instantgp for fish; made from its help."]
    for command in commands[1:]:
        lines.append(f"complete -c instantgp -f -n 'not __fish_seen_subcommand_from {names}' -a {command.name}"
                     f" -d {quoted(command.summary)}")
    for command in commands:
        when = f"__fish_seen_subcommand_from {command.name}" if command.name else f"not __fish_seen_subcommand_from {names}"
        for option in command.options():
            keys = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            lines.append(f"complete -c instantgp -n '{when}' {keys}{' -r' if option.value else ''} -d {quoted(option.text)}")
    return "\n".join(lines) + "\n"


def main(program, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _, commands = help_text.read(program)
    (folder / "instantgp").write_text(bash(commands))
    (folder / "_instantgp").write_text(zsh(commands))
    (folder / "instantgp.fish").write_text(fish(commands))


if __name__ == "__main__":
    main(*sys.argv[1:])
