# SPDX-License-Identifier: Apache-2.0
"""What pages print for readers to type, taken out byte for byte."""
import os
import re

TREE = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))


def text_of(*path):
    """A file of the tree."""
    with open(os.path.join(TREE, *path)) as f:
        return f.read()


def unescape(line):
    """What man(1) shows for one line of a literal display."""
    shown = {"-": "-", "&": "", "(dq": '"', "(aq": "'", "e": "\\"}
    return re.sub(r"\\(-|&|\(dq|\(aq|e)", lambda code: shown[code.group(1)], line)


def displays(page):
    """Literal displays of a page of man/, in its order."""
    inside, found = None, []
    for line in text_of("man", page).splitlines():
        if inside is not None and line == ".Ed":
            found.append("\n".join(inside))
            inside = None
        elif inside is not None:
            inside.append(unescape(line))
        elif line.startswith(".Bd -literal"):
            inside = []
        elif line.startswith(".Dl "):
            found.append(unescape(line[4:]))
    return found


def indented(text):
    """Blocks of a Markdown text: indented by four blanks, behind an empty line."""
    found, block, before = [], [], ""
    for line in text.splitlines() + ["end"]:
        if line.startswith("    ") and (block or not before):
            block.append(line[4:])
        elif not line and block:
            block.append("")
        elif block:
            found.append("\n".join(block).rstrip("\n"))
            block = []
        before = line
    return found
