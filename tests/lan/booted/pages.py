# SPDX-License-Identifier: Apache-2.0
"""Extracts what pages print for readers to type, byte for byte."""
import os
import re

TREE = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))


def text_of(*path):
    with open(os.path.join(TREE, *path)) as f:
        return f.read()


def unescape(line):
    shown = {"-": "-", "&": "", "(dq": '"', "(aq": "'", "e": "\\"}
    return re.sub(r"\\(-|&|\(dq|\(aq|e)", lambda code: shown[code.group(1)], line)


def displays(page):
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
    """The blocks of a Markdown text: indented by four blanks, behind an empty line."""
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


def recipe_of_addresses(*addresses):
    """The commands of README.md that give the leader addresses, with these instead of the printed
    one."""
    text = next(text for text in indented(text_of("README.md")) if "\naddresses = [" in text)
    listed = ", ".join('"%s"' % address for address in addresses)
    text = re.sub(r"(?<=addresses = \[ ).*(?= \];)", listed, text)
    *commands, last = re.split(r"(?m)(?<=^END)\n", text)
    return [*commands, last]
