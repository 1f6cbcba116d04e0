#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of story.py before everything else: it finds what it is for. Nothing is booted."""
import types

from hosts import Failed
import report
import story


class Host:
    def __init__(self, name):
        self.name = name


A, B = Host("A"), Host("B")
CLEAN = """
A hook begin 1 leader 5
A hook end 1 leader 5
A unit begin
A unit end
A hook begin 2 stop 5
A hook end 2 stop 5
B hook begin 3 leader 7
B unit begin
B hook end 3 leader 7
B hook begin 4 leader 8 led
B hook end 4 leader 8 led
"""


def entries(text):
    """A line each: host, words, and of a hook event, token and whether it led before."""
    found = []
    for at, line in enumerate(text.strip().splitlines(), 1):
        host, what, when, *rest = line.split()
        fields = {"STAMP_US": at * 10 ** 6, "MESSAGE": " ".join([what, when] + rest[:1])}
        if what == "hook":
            fields.update(ELECTD_EVENT=rest[1], ELECTD_TOKEN=rest[2],
                          ELECTD_OLD_ROLE="leader" if "led" in rest else "none")
        found.append(story.Entry({"A": A, "B": B}[host], fields))
    return found


def judged(text, spans=(), ends=()):
    """None, or what was wrong."""
    told = story.Story(types.SimpleNamespace(hosts=[A, B]))
    told.spans, told.ends = list(spans), list(ends)
    try:
        told.judge(entries(text))
    except Failed as error:
        return str(error)
    return None


# What is wrong, the story, a word of the verdict.
WRONG = (
    ("no demotion", "A hook begin 1 leader 5\nA hook end 1 leader 5\n"
     "A hook begin 2 leader 6\n", "no demotion"),
    ("a demotion that did not end", "A hook begin 1 leader 5\nA hook end 1 leader 5\n"
     "A hook begin 2 none 5\nB hook begin 3 leader 6\n", "not demoted"),
    ("confirmed with the same token", "A hook begin 1 leader 5\nA hook end 1 leader 5\n"
     "A hook begin 2 leader 5 led\n", "no demotion"),
    ("two scripts at once", "A hook begin 1 leader 5\nA hook begin 2 members 5\n",
     "another script"),
    ("an end of nothing", "A hook begin 1 leader 5\nA hook end 2 leader 5\n", "began last"),
    ("a token that goes down", "A hook begin 1 leader 5\nA hook end 1 leader 5\n"
     "A hook begin 2 none 5\nA hook end 2 none 5\nA hook begin 3 leader 4\n", "after token"),
    ("another host's token", "A hook begin 1 leader 5\nA hook end 1 leader 5\n"
     "A hook begin 2 none 5\nA hook end 2 none 5\nB hook begin 3 leader 5\n", "had token"),
    ("two leaders", "A hook begin 1 leader 5\nA hook end 1 leader 5\nB hook begin 3 leader 6\n",
     "not demoted"),
    ("a unit on two hosts", "A hook begin 1 leader 5\nA unit begin\nB unit begin\n", "runs on A"),
    ("nothing at all", "A hook begin 1 none 0\n", "nobody"),
)


def finds(text, word):
    verdict = judged(text)
    if not verdict or word not in verdict:
        raise Failed("the verdict is %s" % verdict)


def accepts():
    for text, spans, ends in (
            (CLEAN, (), ()),
            ("A hook begin 1 leader 5\nA unit begin\nB hook begin 1 leader 6\nB unit begin\n",
             [(0, 9)], ()),
            ("A hook begin 1 leader 5\nA unit begin\nB hook begin 1 leader 6\nB unit begin\n",
             (), [(2.5, A, True)]),
            ("A hook begin 1 leader 5\nA hook begin 2 none 5\n", (), [(1.5, A, False)])):
        verdict = judged(text, spans, ends)
        if verdict:
            raise Failed(verdict)


def main():
    result = report.Report()
    result.attempt("what is right", accepts)
    for name, text, word in WRONG:
        result.attempt(name, finds, text, word)
    result.exit()


if __name__ == "__main__":
    main()
