# SPDX-License-Identifier: Apache-2.0
"""What the programs print: results and figures, and what a process uses."""
import os
import sys
import traceback


class Failed(Exception):
    """A bound was not held; the text says which."""


class Skipped(Exception):
    """This build or machine cannot run the test; the text says why."""


def whole_lines(path):
    """Of a file that others append to: none if it is not there, and not one half written."""
    try:
        with open(path) as f:
            return f.read().split("\n")[:-1]
    except FileNotFoundError:
        return []


class Report:
    """`ok NAME` and `FAILED NAME` lines; the exit status at the end."""

    def __init__(self):
        self.failed = 0

    def result(self, name, good, words=""):
        self.failed += not good
        print("%s %s%s" % ("ok" if good else "FAILED", name, ": " + words if words else ""),
              flush=True)

    def attempt(self, name, function, *args):
        """Runs a test; whatever it raises is a failure. What it returns is shown."""
        try:
            words = function(*args)
        except Failed as error:
            self.result(name, False, str(error))
        except Skipped as why:
            print("SKIP %s: %s" % (name, why), flush=True)
        except Exception as error:  # pylint: disable=broad-except
            self.result(name, False, "%s %s" % (type(error).__name__, error))
            traceback.print_exc(file=sys.stdout)
        else:
            self.result(name, True, words or "")

    def exit(self):
        sys.exit(1 if self.failed else 0)


def statistics(values):
    """"median 12, worst 34 ms" """
    ordered = sorted(values)
    return "median %.0f ms, worst %.0f ms" % (ordered[len(ordered) // 2] * 1000,
                                              ordered[-1] * 1000)


def within(values, limit, misses_most=None):
    """All values, in seconds, but one in 30 (or but so many) are within the limit: says so."""
    misses = sum(v > limit for v in values)
    words = "%s, at most %.0f ms in %d of %d" % (statistics(values), limit * 1000,
                                                 len(values) - misses, len(values))
    if misses > (max(1, len(values) // 30) if misses_most is None else misses_most):
        raise Failed(words)
    return words


def memory_kib(pid):
    """(resident, anonymous)"""
    values = {}
    with open("/proc/%d/status" % pid) as f:
        for line in f:
            words = line.split()
            if words[0] in ("VmRSS:", "RssAnon:"):
                values[words[0]] = int(words[1])
    return values["VmRSS:"], values["RssAnon:"]


def processor_waits(pid):
    """(seconds, times) that the first thread waited for a processor, so far."""
    with open("/proc/%d/schedstat" % pid) as f:
        _, waited_ns, times = map(int, f.read().split())
    return waited_ns / 1e9, times


def cpu_seconds(pid):
    """All threads, by the scheduler's own clock where the kernel has it."""
    total = 0
    for task in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/schedstat" % (pid, task)) as f:
                total += int(f.read().split()[0])
        except OSError:
            with open("/proc/%d/stat" % pid) as f:
                fields = f.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total / 1e9
