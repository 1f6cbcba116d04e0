#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the sentences of comments and pages that break the rules of CONTRIBUTING.md, Style.

words.py FILE...: FILE:LINE: WHAT: SENTENCE, one a line. Names are not judged: identifiers, and what
is quoted or marked as code. WHAT is the word or the rule.
"""
import re
import sys

# A sentence that begins with one of these, and is no question, has no noun as its subject.
NO_SUBJECT = re.compile(r'(Who|Whoever|Whom|Whose|What|Whatever|Whichever|Of|Those)\b')
# In the first sentence of a paragraph of a comment such a pronoun has no noun near it.
PRONOUN = re.compile(r'(It|Its|They|Their|He|Them)\b')
# Phrases of no plain sentence, and words for which doc/glossary.md has the usual term.
PHRASE = re.compile('|'.join((
    r'\b(is|are|was|were|be|been) (told|said)\b', r'\banother( one)? than\b',
    r'\bst(and|ands|ood|anding) still\b', r'\bwh(o|om)ever\b', r'\btaken for dead\b',
    r'\bdoubt(s|ed|ing)?\b', r'\bpatience\b', r'\bstrangers?\b', r'\bproven to live\b',
    r'\ba hair\b', r'\bis borne\b', r'\bwhat is yours\b', r"\bsomebody's word\b",
    r'\blifts? the counter\b', r'\bdoors?\b')), re.I)

QUOTED = re.compile(r'`[^`]*`|\[[a-z]+\]|"[^"]*"|\*[A-Za-z][^*]*\*')
NAME = re.compile(r'\b\w*_\w*(\(\))?|\b\w+\(\)|\b[\w./-]+\.(c|h|py|sh|md|story|txt)\b')
# The end of a sentence, or the begin of a new one behind a colon or semicolon.
END = re.compile(r'(?<=[.!?:;])\s+(?=[A-Z])')
C_TOKEN = re.compile(r'/\*(.*?)\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)
# Macros of mdoc whose line is a name, and those that end a paragraph.
MDOC_NAME = 'Ar Cm Dv Ev Fl In Ic Li Nm Pa Va Xr'.split()
MDOC_BREAK = 'Bd Bl Ed El It Pp Sh Ss'.split()


def c_comments(text):
    """Paragraphs of the comments of C: line, text, and True because it is a comment."""
    for m in C_TOKEN.finditer(text):
        if m.group(1) is None:
            continue
        line = text.count('\n', 0, m.start()) + 1
        for paragraph in re.split(r'\n[ \t]*\*?[ \t]*(?=\n)', m.group(1)):
            lead = len(paragraph) - len(paragraph.lstrip(' \t\n*'))
            yield line + paragraph.count('\n', 0, lead), re.sub(r'\n[ \t]*\*?', ' ', paragraph), True
            line += paragraph.count('\n') + 1


def hash_comments(text):
    """The same of a script: successive lines of comment are one."""
    block, start = [], 0
    for n, line in enumerate(text.split('\n') + [''], 1):
        m = re.match(r'\s*#(?!!) ?(.*\S)', line)
        if m:
            start = start or n
            block.append(m.group(1))
        elif block:
            yield start, ' '.join(block), True
            block, start = [], 0


def man_page(text):
    block, start, literal = [], 0, False
    for n, line in enumerate(text.split('\n') + ['.Pp'], 1):
        macro, _, rest = line.lstrip('.').partition(' ') if line.startswith('.') else ('', '', line)
        if macro == 'Bd' and ('literal' in rest or 'unfilled' in rest):
            literal = True
        if macro in MDOC_BREAK:
            if block:
                yield start, ' '.join(block), False
            block, start = [], 0
            literal = literal and macro != 'Ed'
        elif not literal and not macro.startswith('\\"'):
            start = start or n
            block.append('X' if macro in MDOC_NAME else rest)


def markdown(text):
    block, start, literal = [], 0, False
    for n, line in enumerate(text.split('\n') + [''], 1):
        if line.startswith('```'):
            literal = not literal
        item = re.match(r'\s*(#+|[-*]|\d+\.) +', line)
        table = line.startswith('|')
        if literal or table or item or not line.strip() or re.match(r'    |<!--', line):
            if block:
                yield start, ' '.join(block), False
            block, start = [], 0
            if table:
                yield from ((n, cell.strip(), False) for cell in line.strip('|').split('|'))
        if item or not (literal or table or re.match(r'    |<!--|```|$', line)):
            start = start or n
            block.append(line[item.end():] if item else line)


def judge(text, comment):
    """What is wrong with the sentences of one paragraph: pairs of WHAT and SENTENCE."""
    text = re.sub(r'\s+', ' ', NAME.sub('X', QUOTED.sub('X', text))).strip()
    for i, sentence in enumerate(END.split(text)):
        m = PHRASE.search(sentence)
        if m:
            yield m.group(0), sentence
        if sentence.endswith('?'):
            continue
        m = NO_SUBJECT.match(sentence) or (PRONOUN.match(sentence) if comment and i == 0 else None)
        if m:
            yield m.group(0) + ' ...', sentence


def main():
    for name in sys.argv[1:]:
        with open(name, encoding='utf-8') as f:
            text = f.read()
        reader = (c_comments if re.search(r'\.[ch]$', name) else man_page if re.search(r'\.\d$', name)
                  else markdown if name.endswith('.md') else hash_comments)
        for line, paragraph, comment in reader(text):
            for what, sentence in judge(paragraph, comment):
                print(f'{name}:{line}: {what}: {sentence[:160]}')


main()
