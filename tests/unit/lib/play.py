#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""play: plays histories through the pure rules of electd.py, and prints what they do.

    play.py [FILE]

Input is FILE or stdin, output is the input with the lines of the rules after each line that causes
them. Lines that begin with ">" are left out of the input, so that a table with its expected lines
is played as it is. T is a time of the boot clock in ms.

    new holder NS | new watcher NS   a fresh program in the time namespace NS; 0: not known
    T connect                        the connection is made, Subscribe was sent
    T message JSON                   a message of electd waits to be read
    T end                            electd closes the connection, after the messages that wait
    T process                        the program takes all events
    T may_act                        the program asks whether an act may begin
    T released                       the program has ended its work

The lines of the rules:

    > event TYPE role=ROLE token=N until=N [error=NAME] [purpose=P]
    > error NAME                     electd cannot be used
    > act TOKEN | > act no
    > hang up NAME                   the connection is useless; not for one that electd refused
    > release HOLDER N               Release is called
    > let go                         ended connections that were kept are closed
"""
import errno
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../lib/python"))

import electd  # noqa: E402

class Player:
    def __init__(self, out):
        self.out = out
        self.rules = None
        self.up = False
        self.wire = []  # what waits to be read; None: the end of the connection
        self.kept = 0

    def say(self, words):
        self.out.append("> " + words)

    def new(self, kind, namespace):
        self.rules = electd.Rules(kind == "holder", int(namespace))
        self.up, self.wire, self.kept = False, [], 0

    def connect(self, now):
        if self.up:
            raise ValueError("the connection is still up")
        self.up = True
        self.rules.connected(now)

    def message(self, now, text):
        if self.up:
            self.wire.append(text.encode("utf-8", "surrogateescape"))

    def end(self, now):
        if self.up:
            self.wire.append(None)

    def over(self, error, words=""):
        self.up, self.wire = False, []
        self.kept += self.rules.ended(error, words)

    def read(self, now):
        """Takes one message, or judges silence. Returns False when there is no more."""
        if not self.up:
            return False
        if not self.wire:
            return self.rules.judge(now)
        message = self.wire.pop(0)
        if message is None:
            self.over(errno.ECONNRESET)
            return True
        wrong = self.rules.take(message, now)
        if wrong:
            if wrong[0] != errno.EBUSY or self.rules.heard:
                self.say("hang up " + errno.errorcode[wrong[0]])
            self.over(*wrong)
        return True

    def settle(self):
        if self.rules.lets_go() and self.kept:
            self.say("let go")
            self.kept = 0
        if number := self.rules.owed():
            self.say(f"release {self.rules.holder} {number}")

    def process_one(self, now):
        while not self.rules.waits() and self.read(now):
            pass
        self.settle()
        if error := self.rules.error():
            self.say("error " + errno.errorcode[error])
            return True
        event = self.rules.next()
        if not event:
            return False
        words = f"event {event.type} role={event.role} token={event.token}"
        words += f" until={event.until_boot_ms}"
        if event.error:
            words += f" error={errno.errorcode[event.error]}"
        if event.purpose:
            words += f" purpose={event.purpose}"
        self.say(words)
        return True

    def process(self, now):
        while self.process_one(now):
            pass

    def may_act(self, now):
        while self.read(now):
            pass
        token = self.rules.may_act(now)
        self.settle()
        self.say(f"act {token or 'no'}")

    def released(self, now):
        self.rules.released()
        self.settle()

    def line(self, line):
        word, _, rest = line.partition(" ")
        if word == "new":
            self.new(*rest.split())
            return
        verb, _, text = rest.partition(" ")
        if verb not in ("connect", "message", "end", "process", "may_act", "released"):
            raise ValueError(f"no such line: {line}")
        getattr(self, verb)(int(word), *([text] if verb == "message" else []))


def play(lines):
    """Returns the lines with those of the rules."""
    out = []
    player = Player(out)
    for number, line in enumerate(lines, 1):
        if line.startswith(">"):
            continue
        out.append(line)
        if not line or line.startswith("#"):
            continue
        try:
            player.line(line)
        except ValueError as e:
            raise SystemExit(f"line {number}: {e}") from e
    return out


def main(arguments):
    if len(arguments) > 1 or arguments[:1] == ["--help"]:
        raise SystemExit(__doc__)
    source = open(arguments[0], "rb") if arguments else sys.stdin.buffer
    with source:
        lines = source.read().decode("utf-8", "surrogateescape").split("\n")
    if not lines[-1]:
        lines.pop()
    sys.stdout.buffer.write(("\n".join(play(lines)) + "\n").encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    main(sys.argv[1:])
