# SPDX-License-Identifier: Apache-2.0
"""When a program ran on which host: the program writes that into a file that all hosts share."""
import os

from hosts import Failed, run
import report

FOLDER = "/srv/shared"

# After TERM it takes that many seconds to end; otherwise it ends by itself.
PROGRAM = """#!/bin/bash
say()
{
	# No child, because the end of the service would end a child, too.
	echo "$1 $HOSTNAME.$$ $EPOCHREALTIME $ELECTD_TOKEN" >>/srv/shared/%(name)s
}
trap 'sleep %(stop)s; say ended; trap - TERM; kill $$' TERM
say begin
sleep %(seconds)s &
wait
say end
"""


def share(net):
    os.mkdir(net.dir + "/shared")
    os.chmod(net.dir + "/shared", 0o1777)
    for host in net.hosts:
        os.mkdir(host.root + FOLDER)
        run("mount", "--bind", net.dir + "/shared", host.root + FOLDER)


def install(net, name, stop=0, seconds="infinity"):
    text = PROGRAM % {"name": name, "stop": stop, "seconds": seconds}
    for host in net.hosts:
        host.write("/usr/local/bin/" + name, text, 0o755)


class Span:
    def __init__(self, host, begin, token):
        self.host = host
        self.begin = begin
        self.token = token
        self.end = None
        self.told = False   # it got TERM


def read(net, name):
    """Returns the spans, oldest first; a program that still runs has no end."""
    found, byname = {}, {host.name: host for host in net.hosts}
    for line in report.whole_lines("%s/shared/%s" % (net.dir, name)):
        word, who, at, *token = line.split()
        if word == "begin":
            # The kernel may use the number of a process again.
            found[who, len(found)] = last = Span(byname[who.split(".")[0]], float(at), token)
        else:
            last = [span for (w, _), span in found.items() if w == who][-1]
            last.end, last.told = float(at), word == "ended"
    return sorted(found.values(), key=lambda span: span.begin)


def one_at_a_time(found):
    for before, after in zip(found, found[1:]):
        if before.end is None or before.end > after.begin:
            raise Failed("on %s and %s at once" % (before.host.name, after.host.name))
