# SPDX-License-Identifier: Apache-2.0
"""Identities of hosts as on real LANs, drawn from one seed.

ELECTD_SEED is the seed; without it, a program draws one. In the same program, the same seed draws
the same identities.
"""
import os
import random
import string
import sys

SEED = int(os.environ.setdefault("ELECTD_SEED", str(random.SystemRandom().randrange(1, 10 ** 9))))

NAME_MOST = 63          # electd.conf(5), node.name
INTERFACE_MOST = 15     # IFNAMSIZ - 1
LETTERS = string.ascii_letters + string.digits


def chance(label):
    """A random stream for this program, seed and label; its draws change no other one."""
    return random.Random("%d %s %s" % (SEED, os.path.basename(sys.argv[0]), label))


def random_id(rand, others):
    """Returns a machine id of 128 random bits, 32 digits, not in `others`. One id in four has a
    hard shape: leading zero bytes, or only one bit that differs from another host's id."""
    while True:
        bits = rand.getrandbits(128)
        if rand.random() < 0.25:
            if others and rand.random() < 0.5:
                bits = int(rand.choice(others), 16) ^ 1 << rand.randrange(128)
            else:
                bits &= (1 << 8 * rand.randint(1, 15)) - 1
        text = "%032x" % bits
        if bits and text not in others:
            return text


def _word(rand, most=9):
    return "".join(rand.choice(string.ascii_lowercase) for _ in range(rand.randint(2, most)))


# Every valid shape of a host name.
NAMES = (
    lambda rand: rand.choice(LETTERS),
    lambda rand: "".join(rand.choice(LETTERS) for _ in range(NAME_MOST)),
    lambda rand: str(rand.randrange(10 ** 12)),
    lambda rand: ".".join(_word(rand) for _ in range(rand.randint(2, 4))),
    lambda rand: "--".join(_word(rand) for _ in range(2)),
    lambda rand: "".join(rand.choice((c, c.upper())) for c in _word(rand, 20)),
    lambda rand: "%s_%d" % (_word(rand), rand.randrange(100)),
    lambda rand: "%s%d" % (_word(rand), rand.randrange(100)),
)

INTERFACES = (
    lambda rand: "".join(rand.choice(LETTERS) for _ in range(INTERFACE_MOST)),
    lambda rand: rand.choice(string.ascii_lowercase),
    lambda rand: "%s.%d" % (_word(rand), rand.randint(1, 4094)),
    lambda rand: "%s-%d" % (_word(rand), rand.randrange(100)),
    lambda rand: "en%ss%d" % (rand.choice("po"), rand.randint(0, 31)),
)


class Identities:
    """The ids, names (different shapes while there are enough) and interfaces of one LAN."""

    def __init__(self, label, count):
        rand = chance(label)
        self.ids, self.names = [], []
        for _ in range(count):
            self.ids.append(random_id(rand, self.ids))
        shapes = rand.sample(NAMES, len(NAMES))
        while len(self.names) < count:
            name = shapes[len(self.names) % len(shapes)](rand)
            if name.lower() not in map(str.lower, self.names):
                self.names.append(name)
        self.interfaces = [rand.choice(INTERFACES)(rand) for _ in range(count)]
