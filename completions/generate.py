#!/usr/bin/env python3
"""Writes the completions for bash, zsh and fish from `sbx --list-options`.

usage: completions/generate.py SBX [FOLDER]

The three files are kept in the tree, because they are embedded in the binary
that they are made from; tests/cli/test_docs.py tells when they are old.
"""

import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

HEAD = "# Completions of sbx for {shell}, written by completions/generate.py; change that instead.\n"
SHELLS = {"bash": "sbx.bash", "zsh": "_sbx", "fish": "sbx.fish"}


@dataclass
class Verb:
    name: str
    words: str
    summary: str


@dataclass
class Flag:
    name: str
    argument: str
    key: str
    words: str
    repeats: bool
    verbs: list[str]
    help: str

    @property
    def short(self):
        """"-o", or "": its other name, which the help tells."""
        found = re.search(r"\(also (-\w)\)", self.help)
        return found[1] if found else ""

    @property
    def choices(self):
        """The fixed words its argument may be."""
        return [word for word in self.words.split("|") if word not in ("", "FILE", "DIR", "PROFILE")]

    @property
    def paths(self):
        """"FILE", "DIR" or "": what else it takes."""
        return next((word for word in self.words.split("|") if word in ("FILE", "DIR")), "")


def read_list(text):
    verbs, flags = [], []
    for line in text.splitlines():
        kind, *fields = line.split("\t")
        if kind == "verb":
            verbs.append(Verb(*fields))
        else:
            name, argument, key, words, repeats, known, text = fields
            flags.append(Flag(name, argument, key, words, repeats == "repeats", known.split(), text))
    return verbs, flags


def bash(verbs, flags):
    out = [HEAD.format(shell="bash")]
    out.append(r"""
_sbx_profiles() {
  local name rest
  sbx profiles ls 2>/dev/null | while read -r name rest; do printf '%s\n' "$name"; done
}

_sbx_runs() {
  local id name rest heads=
  sbx ps 2>/dev/null | while read -r id name rest; do
    if [[ -z $heads ]]; then
      heads="$id $name"
    else
      printf '%s\n' "$id"
      [[ $heads != "RUN NAME" || $name == - ]] || printf '%s\n' "$name"
    fi
  done
}

_sbx_kept() {
  local id rest
  sbx diff 2>/dev/null | while read -r id rest; do [[ $id == RUN ]] || printf '%s\n' "$id"; done
}

_sbx_value() {
  case $1 in
""")
    for flag in flags:
        if not flag.argument:
            continue
        actions = []
        if flag.choices:
            actions.append(f"compgen -W '{' '.join(flag.choices)}' -- \"$2\"")
        if flag.paths:
            actions.append(f"compgen -{'d' if flag.paths == 'DIR' else 'f'} -- \"$2\"")
        names = "|".join(filter(None, (flag.name, flag.short)))
        out.append(f"    {names}) {'; '.join(actions) or ':'} ;;\n")
    out.append(r"""    *) return 1 ;;
  esac
  return 0
}

_sbx() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} i
  COMPREPLY=()
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}
  if ((COMP_CWORD == 1)); then
""")
    names = " ".join(verb.name for verb in verbs)
    out.append(f"    mapfile -t COMPREPLY < <(compgen -W '{names} help --help --version' -- \"$cur\")\n    return\n  fi\n")
    out.append(r"""  for ((i = 2; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      if declare -F _command_offset >/dev/null; then
        _command_offset $((i + 1))
      elif ((COMP_CWORD == i + 1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      fi
      return
    fi
  done
  if [[ $prev == -* ]] && mapfile -t COMPREPLY < <(_sbx_value "$prev" "$cur") &&
    _sbx_value "$prev" "$cur" >/dev/null; then
""")
    unfinished = "|".join(flag.name for flag in flags if is_unfinished(flag))
    out.append(f"    # Neither a space behind it nor a backslash before the colon: something follows at once.\n"
               f"    [[ $prev == @({unfinished}) ]] && compopt -o nospace +o filenames 2>/dev/null\n")
    out.append(r"""    return 0
  fi
  case $verb in
""")
    for verb in verbs:
        known = " ".join(flag.name for flag in flags if verb.name in flag.verbs)
        if verb.words == "PROFILE":
            other = 'compgen -W "$(_sbx_profiles)" -- "$cur"; compgen -f -- "$cur"'
        elif verb.words == "RUN":
            other = 'compgen -W "$(_sbx_runs)" -- "$cur"'
        elif verb.words == "KEPT":
            other = 'compgen -W "$(_sbx_kept)" -- "$cur"'
        else:
            other = f"compgen -W '{verb.words.replace('|', ' ')}' -- \"$cur\""
        dashes = " --" if verb.name in ("run", "explain", "learn") else ""
        out.append(f"    {verb.name})\n"
                   f"      if [[ $cur == -* ]]; then\n"
                   f"        mapfile -t COMPREPLY < <(compgen -W '{known}{dashes}' -- \"$cur\")\n")
        if verb.name == "profiles":
            out.append("      elif [[ $prev == show ]]; then\n"
                       "        mapfile -t COMPREPLY < <(compgen -W \"$(_sbx_profiles)\" -- \"$cur\")\n")
        out.append(f"      else\n        mapfile -t COMPREPLY < <({other})\n      fi\n      ;;\n")
    out.append(f"    help)\n      mapfile -t COMPREPLY < <(compgen -W '{names}' -- \"$cur\")\n      ;;\n")
    out.append("  esac\n}\ncomplete -o filenames -F _sbx sbx\n")
    return "".join(out)


def is_unfinished(flag):
    """Its choices are beginnings, as path: is."""
    return bool(flag.choices) and all(choice.endswith(":") for choice in flag.choices)


def zsh_escape(text):
    for char in "\\[]:":
        text = text.replace(char, "\\" + char)
    return text.replace("'", "'\\''")


def zsh_action(flag):
    if flag.choices and flag.paths:
        # The space keeps _arguments from handing on options of its own, which are none of _alternative's.
        return f" _alternative \"words\\:word\\:({' '.join(flag.choices)})\" \"files\\:file\\:_files\""
    if is_unfinished(flag):
        return f"compadd -S \"\" - {' '.join(zsh_escape(choice) for choice in flag.choices)}"
    if flag.choices:
        return f"({' '.join(flag.choices)})"
    if flag.paths:
        return "_files -/" if flag.paths == "DIR" else "_files"
    return " "


def zsh(verbs, flags):
    out = ["#compdef sbx\n", HEAD.format(shell="zsh"), r"""
_sbx_profiles() {
  local -a names
  names=(${${(f)"$(sbx profiles ls 2>/dev/null)"}%% *})
  _alternative "profiles:profile:($names)" "files:profile file:_files -g '*.y(a|)ml'"
}

_sbx_runs() {
  local -a lines heads words
  local line
  lines=(${(f)"$(sbx ps 2>/dev/null)"})
  heads=(${=lines[1]})
  words=(${lines[2,-1]%% *})
  [[ $heads[2] == NAME ]] && for line in $lines[2,-1]; do words+=(${${=line}[2]}); done
  compadd -- ${words:#-}
}

_sbx_kept() {
  local -a ids
  ids=(${${(f)"$(sbx diff 2>/dev/null)"}%% *})
  compadd -- ${ids:#RUN}
}

_sbx() {
  local curcontext=$curcontext state line
  local -a verbs
  verbs=(
"""]
    for verb in verbs:
        out.append(f"    '{verb.name}:{zsh_escape(verb.summary)}'\n")
    out.append(r"""  )
  if ((CURRENT == 3)) && [[ $words[2] == help ]]; then
    _describe -t verbs verb verbs
    return
  fi
  verbs+=('help:all flags of a verb')
  if ((CURRENT == 2)); then
    _describe -t verbs verb verbs -- '(--help --version)'
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  # After `--` it is the command's own completion.
  local dashes=${words[(i)--]}
  if ((dashes < CURRENT)) && [[ $verb == (run|explain|learn) ]]; then
    shift $dashes words
    ((CURRENT -= dashes))
    _normal
    return
  fi
  case $verb in
""")
    for verb in verbs:
        out.append(f"    {verb.name})\n      _arguments -S \\\n")
        for flag in flags:
            if verb.name not in flag.verbs:
                continue
            star = "*" if flag.repeats else ""
            value = ""
            if flag.argument:
                value = f":{zsh_escape(flag.argument)}:{zsh_action(flag)}"
            suffix = "=" if flag.argument else ""
            what = f"[{zsh_escape(flag.help)}]{value}"
            if flag.short:  # either of the two, which may have its value behind it: -j4
                out.append(f"        '({flag.name}){flag.short}{'+' if flag.argument else ''}{what}' \\\n")
                star = f"({flag.short})"
            out.append(f"        '{star}{flag.name}{suffix}{what}' \\\n")
        if verb.words == "PROFILE":
            star = "*" if verb.name == "check" else "1"
            out.append(f"        '{star}:profile:_sbx_profiles'\n")
        elif verb.words == "RUN":
            out.append(f"        '{'1' if verb.name == 'stats' else '*'}:run:_sbx_runs'\n")
        elif verb.words == "KEPT":
            out.append("        '*:run:_sbx_kept'\n")
        elif not verb.words:
            out.append("        '1: :'\n")
        else:
            out.append(f"        '1:what:({verb.words.replace('|', ' ')})'")
            out.append(" \\\n        '2:profile:_sbx_profiles'\n" if verb.name == "profiles" else "\n")
        out.append("      ;;\n")
    out.append("  esac\n}\n\n# Both ways work: as a file in $fpath, and sourced.\n"
               "if [[ $funcstack[1] == _sbx ]]; then\n  _sbx \"$@\"\nelse\n  compdef _sbx sbx\nfi\n")
    return "".join(out)


def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(verbs, flags):
    out = [HEAD.format(shell="fish"), r"""
function __sbx_verb --description 'Is one of these the verb, and no `--` seen yet?'
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv; and not contains -- -- $words
end

function __sbx_profiles
    sbx profiles ls 2>/dev/null | string replace -r '^(\S+)\s+' '$1\t'
end

function __sbx_runs
    set -l lines (sbx ps 2>/dev/null)
    printf '%s\n' $lines | string match -r '^\d\S*'
    printf '%s\n' $lines[1] | string match -qr '^RUN +NAME '
    and printf '%s\n' $lines | string replace -rf '^\d\S* +(\S+) .*' '$1' | string match -v -- -
end

function __sbx_kept
    sbx diff 2>/dev/null | string match -rv '^RUN ' | string replace -r '^(\S+) .*' '$1'
end

function __sbx_command --description 'Does the line stand behind `--`?'
    contains -- -- (commandline -opc)
end

complete -c sbx -f
complete -c sbx -n '__sbx_command' -F
complete -c sbx -n 'test (count (commandline -opc)) -eq 1' -l help -d 'overview'
complete -c sbx -n 'test (count (commandline -opc)) -eq 1' -l version -d 'the version'
complete -c sbx -n 'test (count (commandline -opc)) -eq 1' -a help -d 'all flags of a verb'
"""]
    for verb in verbs:
        out.append(f"complete -c sbx -n 'test (count (commandline -opc)) -eq 1; or __sbx_verb help' "
                   f"-a {verb.name} -d {fish_quote(verb.summary)}\n")
    for verb in verbs:
        guard = f"-n '__sbx_verb {verb.name}'"
        if verb.words == "PROFILE":
            out.append(f"complete -c sbx {guard} -F -a '(__sbx_profiles)'\n")
        elif verb.words == "RUN":
            out.append(f"complete -c sbx {guard} -a '(__sbx_runs)'\n")
        elif verb.words == "KEPT":
            out.append(f"complete -c sbx {guard} -a '(__sbx_kept)'\n")
        elif verb.words:
            out.append(f"complete -c sbx {guard} -a '{verb.words.replace('|', ' ')}'\n")
        if verb.name == "profiles":
            out.append("complete -c sbx -n '__sbx_verb profiles; and contains -- show "
                       "(commandline -opc)' -a '(__sbx_profiles)'\n")
    for flag in flags:
        parts = [f"complete -c sbx -n '__sbx_verb {' '.join(flag.verbs)}'"]
        if flag.short:
            parts.append(f"-s {flag.short[1:]}")
        parts.append(f"-l {flag.name[2:]}")
        if flag.argument:
            parts.append("-r" + (" -F" if flag.paths else " -f"))
        if flag.choices:
            parts.append(f"-a {fish_quote(' '.join(flag.choices))}")
        parts.append(f"-d {fish_quote(flag.help)}")
        out.append(" ".join(parts) + "\n")
    return "".join(out)


def generate(sbx):
    """Shell -> text of its completion file."""
    listed = subprocess.run([sbx, "--list-options"], check=True, capture_output=True, text=True)
    verbs, flags = read_list(listed.stdout)
    return {"bash": bash(verbs, flags), "zsh": zsh(verbs, flags), "fish": fish(verbs, flags)}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else __file__ + "/..").resolve()
    for shell, text in generate(sys.argv[1]).items():
        (folder / SHELLS[shell]).write_text(text)


if __name__ == "__main__":
    main()
