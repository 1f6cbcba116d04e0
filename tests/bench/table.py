# SPDX-License-Identifier: Apache-2.0
"""The measurements as a table with ratios or limits, as values for other programs, and as a
drawing."""
import collections
import math
import os
import subprocess

ROWS = [
    ("cold", "cold start: all agree", "ms"),
    ("killed", "leader's process killed: the others agree", "ms"),
    ("group", "all its processes killed: the others agree", "ms"),
    ("stop", "leader stopped (SIGTERM): the others agree", "ms"),
    ("silent", "leader's host silent: the others agree", "ms"),
    ("carrier", "leader's carrier lost: the others agree", "ms"),
    ("demoted", "  the leader itself stops leading", "ms"),
    ("stall", "leader stands still: the others agree", "ms"),
    ("after", "  it runs on: two leaders for", "ms"),
    ("split", "split 2 + 3, leader in the 2: the 3 agree", "ms"),
    ("two", "  two leaders for", "ms"),
    ("heal", "healed: all agree", "ms"),
    ("last", "all but one silent at once: the last leads", "ms"),
    ("last_carrier", "all but one lose their carriers: the last leads", "ms"),
    ("gone", "one silent earlier, then the leader's host: the last leads", "ms"),
    ("gone_carrier", "one silent earlier, leader's carrier lost: the last leads", "ms"),
    ("script", "leader stopped, with scripts: the next leader's begins", "ms"),
    ("scripted_group", "all its processes killed, with scripts: the others agree", "ms"),
    ("twice", "  two hosts act at once, of 1", ""),
    ("killed_gap", "leader's process killed: a client's longest gap", "ms"),
    ("killed_both", "  two hosts have the address for", "ms"),
    ("stop_gap", "leader stopped (SIGTERM): a client's longest gap", "ms"),
    ("stop_both", "  two hosts have the address for", "ms"),
    ("resign_gap", "leader resigns: a client's longest gap", "ms"),
    ("resign_both", "  two hosts have the address for", "ms"),
    ("sick_gap", "leader's service sick: a client's longest gap", "ms"),
    ("sick_both", "  two hosts have the address for", "ms"),
    ("group_gap", "all killed: a client's longest gap", "ms"),
    ("group_both", "  two hosts have the address for", "ms"),
    ("group_held", "  that host has it for", "ms"),
    ("stall_gap", "leader frozen: a client's longest gap", "ms"),
    ("stall_both", "  two hosts have the address for", "ms"),
    ("stall_held", "  that host has it for", "ms"),
    ("silent_gap", "leader's host silent: a client's longest gap", "ms"),
    ("heal_gap", "  healed: a client's longest gap", "ms"),
    ("heal_both", "  two hosts have the address for", "ms"),
    ("frames", "frames a second, all hosts", "/s"),
    ("bytes", "KiB a second, all hosts", "/s"),
    ("cpu", "leader: % of a core", "%"),
    ("cpu_other", "another host, at most: % of a core", "%"),
    ("resident", "a host's processes: MiB resident", "MiB"),
    ("own", "  of it their own", "MiB"),
    ("resident_leader", "leader's processes: MiB resident", "MiB"),
    ("resident_other", "another host's, at most: MiB resident", "MiB"),
    ("copy", "  own pages of the leader's copy: MiB", "MiB"),
    ("loss_changes", "5 % loss: changes a minute", "/min"),
    ("loss_two", "  two leaders, % of the time", "% "),
    ("loss_none", "  no leader, % of the time", "% "),
    ("load_changes", "all cores busy: changes a minute", "/min"),
    ("load_two", "  two leaders, % of the time", "% "),
    ("load_none", "  no leader, % of the time", "% "),
]
TIMES = {row for row, _, unit in ROWS if unit == "ms"}
# The rows that are drawn.
SHORT = {"cold": "cold start", "killed": "killed", "group": "all killed", "stop": "stopped",
         "silent": "silent", "carrier": "no carrier", "stall": "stands still", "split": "split",
         "heal": "healed"}
GAPS = {"killed_gap": "killed", "stop_gap": "stopped", "resign_gap": "resigns", "sick_gap": "sick",
        "group_gap": "all killed", "stall_gap": "frozen", "silent_gap": "silent",
        "group_both": "all killed:\\ntwo have it", "stall_both": "frozen:\\ntwo have it"}
# A daemon has the same colour in all panels, and lighter ones for its further configurations.
COLOURS = {"electd": ["#0072b2", "#56b4e9", "#b3d9f2"], "keepalived": ["#d55e00", "#f2a878"],
           "corosync": ["#009e73"], "etcd": ["#e6a700"], "ucarp": ["#8c8c8c"]}


def median(values):
    return sorted(values)[len(values) // 2]


def number(value, unit):
    if math.isinf(value):
        return "no end"
    if unit == "ms":
        return "%.0f" % (value * 1000) if value >= 0.01 else "%.1f" % (value * 1000)
    return "%.0f" % value if value >= 100 else "%.2f" % value


def ratio(value, base):
    """The ratio to electd's value; empty if one of them is zero or endless."""
    if not value or not base or math.isinf(value) or math.isinf(base):
        return ""
    times = value / base
    return "x%.0f" % times if times >= 10 else "x%.1f" % times if times >= 1 else "x%.2f" % times


class Results:
    """{setup: {row: [values]}} of one advertised interval. `title`, `drawn`: of the drawing."""

    def __init__(self, beat_ms, title="", drawn=SHORT):
        self.beat_ms = beat_ms
        self.title = title or "advertised every %s ms" % beat_ms
        self.drawn = drawn
        self.setups = []          # in the order of the columns; ratios are to the first
        self.values = {}

    def add(self, setup, measured):
        if setup.name not in self.values:
            self.setups.append(setup)
            self.values[setup.name] = {}
        for row, value in measured.items():
            self.values[setup.name].setdefault(row, []).append(value)

    def of(self, setup, row):
        return self.named(setup.name, row)

    def named(self, name, row):
        return self.values.get(name, {}).get(row, [])

    def _cell(self, setup, row, unit):
        values = self.of(setup, row)
        if not values:
            return "-"
        base = self.of(self.setups[0], row)
        words = [number(median(values), unit)]
        if len(values) > 1:
            words.append("/ " + number(max(values), unit))
        if base and setup is not self.setups[0]:
            words.append(ratio(median(values), median(base)))
        return " ".join(words)

    def table(self):
        columns = [["Advertised every %d ms" % self.beat_ms, "  repetitions"]]
        columns[0] += [words + (", ms" if unit == "ms" else "") for _, words, unit in ROWS]
        for setup in self.setups:
            column = [setup.name, str(max(map(len, self.values[setup.name].values()), default=0))]
            columns.append(column + [self._cell(setup, row, unit) for row, _, unit in ROWS])
        return "\n".join(aligned([cells for cells in zip(*columns) if set(cells[1:]) != {"-"}]))

    def lines(self):
        for setup in self.setups:
            for row, _, unit in ROWS:
                values = self.of(setup, row)
                if values:
                    scale = 1000 if unit == "ms" else 1
                    yield "\t".join([str(self.beat_ms), setup.name, row] +
                                    ["%.2f" % (value * scale) for value in values])

    def _drawn(self, setup, row):
        """Median, and the distance to the worst. A missing value is not drawn; zero is low."""
        values = self.of(setup, row)
        if not values or math.isinf(median(values)):
            return "? ? ?"
        middle = max(median(values) * 1000, 0.5)
        worst = max((v * 1000 for v in values if not math.isinf(v)), default=middle)
        return "%.2f %.2f %.2f" % (middle, middle, max(worst, middle))

    def colour(self, setup):
        same = [other for other in self.setups if other.kind is setup.kind]
        shades = COLOURS[setup.kind.title]
        return shades[same.index(setup) % len(shades)]

    def data(self):
        """One line for each fault, three numbers for each setup."""
        rows = [row for row in self.drawn if any(self.of(setup, row) for setup in self.setups)]
        return "".join("\"%s\" %s\n" % (self.drawn[row], " ".join(
            self._drawn(setup, row) for setup in self.setups)) for row in rows)


class Limit(collections.namedtuple("Limit", "row most worst times", defaults=(None, None, 1))):
    """The median of a row must not exceed `most`, and none of its values `worst`, both in the unit
    of the row; without both, the row is only printed. `times`: how often it is measured, as a
    multiple of what the run is asked for; 0: once."""

    def held(self, values, runs):
        """HELD, NOT HELD, or NOT MEASURED (often enough); empty without a limit."""
        if self.most is None and self.worst is None:
            return ""
        if len(values) < max(1, int(self.times * runs)):
            return "NOT MEASURED"
        scale = 1000 if self.row in TIMES else 1
        good = ((self.most is None or median(values) * scale <= self.most) and
                (self.worst is None or max(values) * scale <= self.worst))
        return "HELD" if good else "NOT HELD"

    def words(self):
        return ", ".join(words for words in (
            self.most is not None and "%g" % self.most,
            self.worst is not None and "worst %g" % self.worst) if words)


def exact(value, unit):
    """More digits than number(), for a value next to a limit."""
    if math.isinf(value):
        return "no end"
    if unit == "ms":
        return "%.1f" % (value * 1000)
    return "%.0f" % value if value.is_integer() else "%.3f" % value


def judged(results, setup, limits, peers, runs):
    """Yields the cells of a line for each limit: words, number of values, median, worst, limit,
    verdict, and for each peer median, worst, and its median as a multiple of the setup's."""
    known = {row: (words, unit) for row, words, unit in ROWS}
    for limit in limits:
        words, unit = known[limit.row]
        values = results.named(setup, limit.row)
        cells = [words + (", ms" if unit == "ms" else ""), str(len(values)), "", "", limit.words(),
                 limit.held(values, runs)]
        if values:
            cells[2:4] = exact(median(values), unit), exact(max(values), unit)
        for peer in peers:
            others = results.named(peer, limit.row)
            cells.append(" ".join([
                exact(median(others), unit), "/", exact(max(others), unit),
                ratio(median(others), median(values) if values else 0)]) if others else "-")
        yield cells


def aligned(rows):
    """Lines of cells: the first left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join([cells[0].ljust(widths[0])] + [
        cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]).rstrip()
            for cells in rows]


def draw(all_results, folder, subtitle, name="bench", title="From the cause until all agree"):
    """Draws a picture, a panel for each interval. Whether gnuplot is installed and succeeded."""
    script = ["set terminal svg size 1200,%d font 'sans,12' background 'white'" % (
        330 * len(all_results) + 30),
        "set output '%s/%s.svg'" % (folder, name),
        "set multiplot layout %d,1 title \"%s: median, and the worst above it\\n{/*0.8 %s}\"" % (
            len(all_results), title, subtitle),
        "set style data histograms", "set style histogram errorbars gap 1 lw 1",
        "set style fill solid 0.8", "set datafile missing '?'", "set logscale y",
        "set grid ytics lc rgb '#cccccc'", "set key outside right top", "set xtics nomirror font ',10'",
        "set ylabel 'ms'", "set yrange [0.5:*]"]
    for results in all_results:
        path = "%s/%s.dat" % (folder, results.beat_ms)
        with open(path, "w") as f:
            f.write(results.data())
        script.append("set title '%s'" % results.title)
        script.append("plot " + ", ".join("'%s' using %d:%d:%d%s lc rgb '%s' title '%s'" % (
            path if n == 0 else "", 3 * n + 2, 3 * n + 3, 3 * n + 4, ":xtic(1)" if n == 0 else "",
            results.colour(setup), setup.name) for n, setup in enumerate(results.setups)))
    script.append("unset multiplot")
    try:
        done = subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except FileNotFoundError:
        return "gnuplot is not here: nothing is drawn"
    for results in all_results:
        os.unlink("%s/%s.dat" % (folder, results.beat_ms))
    if done.returncode:
        return "gnuplot: " + done.stdout.strip()
    with open("%s/%s.svg" % (folder, name), "r+") as f:
        first, rest = f.read().split("\n", 1)
        f.seek(0)
        f.write(first + "\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n" + rest)
    return "drawn: %s/%s.svg" % (folder, name)
