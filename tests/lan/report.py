# SPDX-License-Identifier: Apache-2.0
"""The output of the programs, with results and figures, and the resources of a process."""
import os
import sys
import traceback


class Failed(Exception):
    """A bound does not hold; the text says which one."""


class Skipped(Exception):
    """This build or machine cannot run the test; the text says why."""


def whole_lines(path):
    """Returns the complete lines of a file that others append to; none if it does not exist."""
    try:
        with open(path) as f:
            return f.read().split("\n")[:-1]
    except FileNotFoundError:
        return []


class Report:
    """Prints `ok NAME` and `FAILED NAME` lines, and returns the exit status at the end."""

    def __init__(self):
        self.failed = 0

    def result(self, name, good, words=""):
        self.failed += not good
        print("%s %s%s" % ("ok" if good else "FAILED", name, ": " + words if words else ""),
              flush=True)

    def attempt(self, name, function, *args):
        """Runs a test. An exception is a failure; a result is printed."""
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
    ordered = sorted(values)
    return "median %.0f ms, worst %.0f ms" % (ordered[len(ordered) // 2] * 1000,
                                              ordered[-1] * 1000)


def within(values, limit, misses_most=None):
    """Checks that all values, in seconds, except one in 30 (or `misses_most`), are within the
    limit, and returns a text about them."""
    misses = sum(v > limit for v in values)
    words = "%s, at most %.0f ms in %d of %d" % (statistics(values), limit * 1000,
                                                 len(values) - misses, len(values))
    if misses > (max(1, len(values) // 30) if misses_most is None else misses_most):
        raise Failed(words)
    return words


def memory_kib(pid):
    """Returns (resident, anonymous)."""
    values = {}
    with open("/proc/%d/status" % pid) as f:
        for line in f:
            words = line.split()
            if words[0] in ("VmRSS:", "RssAnon:"):
                values[words[0]] = int(words[1])
    return values["VmRSS:"], values["RssAnon:"]


def processor_waits(pid):
    """Returns (seconds, times) that the first thread has waited for a processor so far."""
    with open("/proc/%d/schedstat" % pid) as f:
        _, waited_ns, times = map(int, f.read().split())
    return waited_ns / 1e9, times


def cpu_seconds(pid):
    """The processor time of all threads, by the scheduler's own clock if there is one."""
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
