#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `electsim compare --html` in a headless Chromium, driven over its own pipe: plots,
sorting, filters, and a run stepped through event by event; light, dark and narrow. It must ask for
nothing and complain of nothing. tests/sim/page.py [ELECTSIM [PICTURES]]; ends with "N passed, N failed".
Where there is no Chromium it says SKIP and why."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom
from base64 import b64decode

SECONDS = 60


class Browser:
    """Messages to it and from it, each with a NUL at its end, by descriptors 3 and 4."""

    def __init__(self, program, folder):
        to_read, self.to = os.pipe()
        self.come, come_write = os.pipe()
        arguments = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                     "--disable-dev-shm-usage", "--disable-background-networking",
                     "--remote-debugging-pipe", f"--user-data-dir={folder}/profile", "about:blank"]

        def descriptors():
            # Neither may be 3 or 4 when the other is put there.
            read, write = os.dup(to_read), os.dup(come_write)
            while read < 5:
                read = os.dup(read)
            while write < 5:
                write = os.dup(write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        with open(f"{folder}/chromium.log", "wb") as log:
            self.process = subprocess.Popen(arguments, preexec_fn=descriptors, close_fds=False,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        os.close(to_read)
        os.close(come_write)
        self.rest, self.number, self.events = b"", 0, []
        self.until = time.monotonic() + SECONDS
        target = next(t for t in self.ask("Target.getTargets", session=None)["targetInfos"]
                      if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True},
                                session=None)["sessionId"]

    def message(self):
        while b"\0" not in self.rest:
            if time.monotonic() > self.until:
                raise TimeoutError(f"no answer within {SECONDS} s")
            got = os.read(self.come, 65536)
            if not got:
                raise EOFError("chromium is gone")
            self.rest += got
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, parameters=None, session=""):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": parameters or {}}
        if session is not None:
            asked["sessionId"] = self.session
        os.write(self.to, json.dumps(asked).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def open(self, path):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Page.navigate", {"url": f"file://{path}"})
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message())

    def value(self, expression):
        got = self.ask("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        if "exceptionDetails" in got:
            raise RuntimeError(f"{expression}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", {"type": kind, "key": name, "code": name})

    def picture(self, path):
        shot = self.ask("Page.captureScreenshot", {"captureBeyondViewport": True})
        with open(path, "wb") as f:
            f.write(b64decode(shot["data"]))

    def end(self):
        self.process.terminate()
        self.process.wait(10)


passed, failed = 0, 0


def expect(what, got, wanted=True):
    global passed, failed
    if got == wanted:
        passed += 1
        return
    failed += 1
    print(f"FAILED {what}: {got!r}, not {wanted!r}")


COLUMN = """(name => { const heads = [...document.querySelectorAll('#table [data-name]')].map(t => t.dataset.name);
    const i = heads.indexOf(name);
    return [...document.querySelectorAll('#table tbody tr')].map(r => r.cells[i].textContent); })"""
CHOOSE = """((id, value) => { const s = document.getElementById(id); s.value = value;
    s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change')); return s.value; })"""
OVERLAPS = """(() => { let pairs = 0;
    for (const f of document.querySelectorAll('#plots figure:not([hidden])')) {
        const boxes = [...f.querySelectorAll('text.end')].map(t => t.getBoundingClientRect());
        boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
            if (a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom) pairs++; }));
    } return pairs; })()"""


def plots(b, figures):
    scenes = [s["name"] for s in figures["scenes"]]
    expect("plots there are", b.value("document.querySelectorAll('#plots figure svg').length") >= len(scenes))
    for scene in scenes:
        b.value(f"document.querySelector('#scenes [data-scene=\"{scene}\"]').click()")
        expect(f"the plots shown of {scene}", b.value(
            "[...document.querySelectorAll('#plots figure:not([hidden])')].every("
            f"f => f.dataset.scene === '{scene}')"))
        expect(f"names that overlap in {scene}", b.value(OVERLAPS), 0)
    name = figures["algorithms"][0]["name"]
    button = f"document.querySelector('#algorithms [data-algorithm=\"{name}\"]')"
    bright = "[...document.querySelectorAll('#plots.some .series.chosen')].length"
    b.value(f"{button}.dispatchEvent(new Event('mouseenter'))")
    expect("lines that stand out", b.value(f"{bright} > 0"))
    b.value(f"{button}.dispatchEvent(new Event('mouseleave'))")
    expect("lines that stand out behind it", b.value(bright), 0)
    expect("dots that do not tell their figure", b.value(
        "[...document.querySelectorAll('#plots .dot')].filter(d => !/\\d/.test(d.textContent)).length"), 0)
    chip = f"document.querySelector('#algorithms [data-algorithm=\"{name}\"]').click()"
    b.value(chip)
    expect("lines of an algorithm that is left out", b.value(
        f"[...document.querySelectorAll('#plots .series[data-algorithm=\"{name}\"]')].filter("
        "g => g.getClientRects().length).length"), 0)
    expect("its rows", b.value(f"{COLUMN}('algorithm').some(a => a.startsWith('{name}'))"), False)
    b.value(chip)


def numbers(column):
    return [float("inf") if v == "never" else float(v) for v in column if v != "\u2013"]


def table(b, figures):
    cells = figures["cells"]
    expect("rows", b.value(f"{COLUMN}('scene').length"), len(cells))
    for name in ("datagrams a host: election", "ms until all agree: p99", "messages"):
        head = f"document.querySelector('#table [data-name=\"{name}\"]').click()"
        b.value(head)
        up = numbers(b.value(f"{COLUMN}('{name}')"))
        expect(f"{name}, sorted", up, sorted(up))
        b.value(head)
        down = numbers(b.value(f"{COLUMN}('{name}')"))
        expect(f"{name}, sorted downwards", down, sorted(up, reverse=True))
    scene, hosts = cells[-1]["scene"], cells[-1]["hosts"]
    b.value(f"{CHOOSE}('f-scene', '{scene}')")
    b.value(f"{CHOOSE}('f-hosts', '{hosts}')")
    expect("rows of one scene and size", b.value(f"{COLUMN}('scene').length"),
           sum(c["scene"] == scene and c["hosts"] == hosts for c in cells))
    b.value(f"{CHOOSE}('f-text', 'vita')")
    expect("rows by a part of a name", sorted(set(b.value(f"{COLUMN}('algorithm')"))), ["invitation"])
    for box in ("f-scene", "f-hosts", "f-text"):
        b.value(f"{CHOOSE}('{box}', '')")
    expect("rows again", b.value(f"{COLUMN}('scene').length"), len(cells))


def steps_of_one(b, what):
    count = b.value("+document.getElementById('at').max")
    future = "document.querySelectorAll('#diagram .future').length"
    current = "document.querySelectorAll('#diagram .current').length"
    words = "document.getElementById('what').textContent"
    b.value("document.getElementById('first').click()")
    expect(f"{what}: seen before the first event", b.value("document.querySelectorAll("
           "'#diagram [data-event]:not(.future):not([data-event=\"-1\"])').length"), 0)
    b.value("document.getElementById('diagram').focus()")
    told, left = set(), b.value(future)
    for _ in range(min(count, 40)):
        b.key("ArrowRight")
        now = b.value(future)
        if now > left:
            expect(f"{what}: what is to come", now, f"at most {left}")
        left = now
        told.add(b.value(words))
    expect(f"{what}: where 40 steps lead", b.value("+document.getElementById('at').value"), min(count, 40))
    expect(f"{what}: sentences told", len(told) > min(count, 40) // 3)
    b.key("ArrowLeft")
    expect(f"{what}: a step back", b.value("+document.getElementById('at').value"), min(count, 40) - 1)
    expect(f"{what}: something is marked", b.value(f"{current} > 0 || {words}.includes('event')"
                                                   f" || {words}.includes(' is ')"))
    b.value("document.getElementById('next').focus()")
    b.key("ArrowRight")
    expect(f"{what}: a step by a key, on a button", b.value("+document.getElementById('at').value"), min(count, 40))
    b.value("document.querySelector('#diagram g[data-event] path').dispatchEvent(new Event('click', {bubbles: true}))")
    expect(f"{what}: the arrow that is clicked on", b.value(
        "document.querySelector('#diagram g[data-event] path').parentNode.classList.contains('current')"))
    b.value("document.getElementById('diagram').focus()")
    b.key("End")
    expect(f"{what}: what is to come at the end", b.value(future), 0)
    expect(f"{what}: somebody leads at the end", b.value(
        "[...document.querySelectorAll('#hosts .leads')].length"), 1)


def steps(b, figures, runs):
    expect("runs", len(runs) >= len(figures["scenes"]) * len(figures["algorithms"]))
    for run in runs:
        what = f"{run['scene']}, {run['algorithm']}, loss {run['loss']}"
        for box, value in (("s-scene", run["scene"]), ("s-algorithm", run["algorithm"]), ("s-loss", run["loss"])):
            b.value(f"{CHOOSE}('{box}', '{value}')")
        expect(f"{what}: hosts", b.value("document.querySelectorAll('#diagram .name').length"), run["hosts"])
        if run["scene"] == "crash" and run["loss"] == 0:
            steps_of_one(b, what)
    if any(c["note"] for c in figures["cells"]):
        expect("notes are told", b.value("document.querySelectorAll('#notes div').length > 0"))
    b.value("document.getElementById('s-watch').click()")
    b.value("document.getElementById('first').click()")
    b.value("document.getElementById('play').click()")
    time.sleep(0.7)
    expect("it plays", b.value("+document.getElementById('at').value") > 0)
    b.value("document.getElementById('play').click()")


def quiet(b):
    asked = [e["params"]["request"]["url"] for e in b.events if e.get("method") == "Network.requestWillBeSent"]
    expect("what the page asked for", [u for u in asked if not u.startswith("file://")], [])
    expect("pages it is made of", len(asked), 1)
    wrong = [e["params"] for e in b.events
             if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")]
    expect("complaints", wrong, [])


def looks(b, pictures):
    for scheme in ("dark", "light"):
        b.ask("Emulation.setEmulatedMedia",
              {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        page = b.value("getComputedStyle(document.body).backgroundColor")
        plot = b.value("getComputedStyle(document.querySelector('#plots figure:not([hidden]) svg')).backgroundColor")
        for what, colour in (("page", page), ("plot", plot)):
            bright = sum(int(n) for n in colour[4:-1].split(",")) > 384
            expect(f"the {what} is {scheme}", bright, scheme == "light")
        if pictures:
            b.picture(f"{pictures}/{scheme}.png")
    b.ask("Emulation.setDeviceMetricsOverride", {"width": 420, "height": 800, "deviceScaleFactor": 1,
                                                 "mobile": True})
    expect("columns that a narrow page shows", b.value("(() => { const d = document.getElementById('diagram');"
           " return d.scrollWidth <= 1.4 * d.clientWidth; })()"))
    if pictures:
        b.picture(f"{pictures}/narrow.png")
    expect("a narrow page is no wider than its window", b.value(
        "document.documentElement.scrollWidth <= window.innerWidth"))


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        print("SKIP: no chromium here: tests/deps.sh page installs it")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    electsim = sys.argv[1] if len(sys.argv) > 1 else "./electsim"
    pictures = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = f"{folder}/page.html"
        subprocess.run([electsim, "compare", "--quick", "--runs", "3", "--jobs", "2", "--html", page, "--svg",
                        f"{folder}/svg", "--json", f"{folder}/figures.json"],
                       stdout=subprocess.DEVNULL, check=True)
        with open(f"{folder}/figures.json", encoding="utf-8") as f:
            figures = json.load(f)
        for here, _, names in os.walk(f"{folder}/svg"):
            for name in names:
                xml.dom.minidom.parse(f"{here}/{name}")
        browser = Browser(program, folder)
        try:
            browser.ask("Emulation.setDeviceMetricsOverride",
                        {"width": 1400, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
            browser.open(page)
            runs = json.loads(browser.value("document.getElementById('steps').textContent"))
            plots(browser, figures)
            table(browser, figures)
            steps(browser, figures, runs)
            looks(browser, pictures)
            quiet(browser)
        finally:
            browser.end()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
