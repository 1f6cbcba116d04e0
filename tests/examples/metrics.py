#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/metrics, as printed: a real Prometheus reads three hosts, its rules are valid and alert,
and every expression of the Grafana dashboard returns a row."""
import json
import os
import re

import guide
from hosts import Failed, until
import pages
import report

# The printed timers have 15 s.
FASTER = "[Timer]\nOnUnitInactiveSec=\nOnActiveSec=0\nOnUnitInactiveSec=1\nAccuracySec=100ms\n"
COLUMNS = 24
# As in Grafana: four scrapes, and the time shown.
INTERVALS = {"$__rate_interval": "4s", "$__range": "60s"}
CHOSEN = ({"$lan": ".*", "$domain": ".*"}, {"$lan": "office", "$domain": "(default|other)"})


def dashboard():
    return json.loads(pages.text_of("examples/metrics/electd.json"))


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


def get(host, path, *words):
    done = host.run("curl", "-sfG", "http://localhost:9090/api/v1/" + path, *words, check=False)
    answer = json.loads(done.stdout or "{}")
    return answer.get("data") if answer.get("status") == "success" else None


def query(host, expression):
    """The rows; None if the query is refused or not answered."""
    data = get(host, "query", "--data-urlencode", "query=" + expression)
    return data and data["result"]


def cells(panel):
    grid = panel["gridPos"]
    return {(x, y) for x in range(grid["x"], grid["x"] + grid["w"])
            for y in range(grid["y"], grid["y"] + grid["h"])}


def well_formed():
    """Faults that Grafana would silently correct, or show as an empty panel."""
    board = dashboard()
    panels = board["panels"]
    check(isinstance(board["schemaVersion"], int) and board["uid"] and board["title"], "its head")
    check(len({p["id"] for p in panels}) == len(panels), "an id is used twice")
    taken = set()
    for panel in panels:
        mine = cells(panel)
        check(mine and not mine & taken, "%s lies over another one", panel["title"])
        check(max(x for x, _ in mine) < COLUMNS, "%s is too wide", panel["title"])
        taken |= mine
        refs = [t["refId"] for t in panel["targets"]]
        check(refs and len(set(refs)) == len(refs), "targets of %s: %s", panel["title"], refs)
        for part in (panel, *panel["targets"]):
            check(part["datasource"] == {"type": "prometheus", "uid": "${datasource}"},
                  "%s has a source of its own", panel["title"])
    variables = {v["name"]: v for v in board["templating"]["list"]}
    check(variables["datasource"]["type"] == "datasource", "no variable for the source")
    used = set(re.findall(r"\$(\w+)", " ".join(expressions())))
    check(used <= {*variables, *(name[1:] for name in INTERVALS)}, "not known: %s", used)
    return "%d panels, %d expressions" % (len(panels), len(expressions()))


def expressions():
    return [t["expr"] for p in dashboard()["panels"] for t in p["targets"]]


def as_grafana(expression, chosen):
    """The longest name first, because $__range is a prefix of others."""
    values = {**INTERVALS, **chosen}
    for name in sorted(values, key=len, reverse=True):
        expression = expression.replace(name, values[name])
    return expression


def each_returns_a_row(server, net):
    rows = 0
    for chosen in CHOSEN:
        for expression in expressions():
            asked = as_grafana(expression, chosen)
            rows += len(until("a row of " + asked, lambda e=asked: query(server, e)))
    nobody = as_grafana(expressions()[0], {"$lan": "elsewhere", "$domain": ".*"})
    check(query(server, nobody) == [], "a row of a LAN that is not there")
    leader = net.settle().name + ":9100"
    until("the leader is shown", lambda: [r["metric"]["instance"] for r in query(
        server, as_grafana(expressions()[0], CHOSEN[0]))] == [leader])
    for name, value in (("lan", "office"), ("domain", "default")):
        found = get(server, "label/%s/values" % name, "-d", "match[]=electd_build_info")
        check(found == [value], "%s: %s", name, found)
    return "%d rows" % rows


def installed(net, page):
    """Reads each second instead of every 15."""
    server = net.hosts[0]
    page.shell(server, "sed -i 's/15s/1s/' scrape.yml /etc/prometheus/prometheus.yml")
    for host in net.hosts:
        page.type(host, "systemctl enable")
    tested = page.type(server, "promtool test").stdout
    check("SUCCESS" in tested, "promtool: %s", tested)
    # Debian's own scrape_configs also read this host, without a LAN.
    until("all are read", lambda: len(query(
        server, 'electd_is_leader{job="electd"}') or []) == len(net.hosts))


def rules_are_well(server):
    """Each rule is evaluated, and each alert has a test."""
    tests = pages.text_of("examples/metrics/electd.rules.test.yml")

    def evaluated():
        rules = [rule for g in get(server, "rules")["groups"] for rule in g["rules"]]
        return rules and all(r["health"] != "unknown" for r in rules) and rules
    rules = until("rules are evaluated", evaluated)
    for rule in rules:
        check(rule["health"] == "ok", "%s: %s", rule["name"], rule.get("lastError"))
        check(rule["name"] in tests, "%s has no test", rule["name"])
        check(rule["type"] == "recording" or
              "`%s`" % rule["name"] in pages.text_of("examples/metrics/README.md"),
              "README.md does not name %s", rule["name"])
    early = [a["labels"]["alertname"] for a in get(server, "alerts")["alerts"]]
    check(not early, "alerts while all is well: %s", early)
    return "%d rules" % len(rules)


def alerts(server, name):
    found = [a for a in get(server, "alerts")["alerts"] if a["labels"]["alertname"] == name]
    for alert in found:
        check("error" not in str(alert["annotations"]).lower(), "%s", alert["annotations"])
    return found


def differs(server, last):
    """The alert is only pending, because it would fire after minutes."""
    last.run("mkdir", "-p", "/etc/electd/electd.conf.d")
    last.sh("echo 'preempt = true;' >/etc/electd/electd.conf.d/preempt.conf")
    last.systemctl("reload", "electd")
    until("ElectdProblem", lambda: alerts(server, "ElectdProblem"))


def stops(server, host):
    host.systemctl("stop", "electd")
    found = until("ElectdDown", lambda: alerts(server, "ElectdDown"))
    check([a["labels"]["instance"] for a in found] == [host.name + ":9100"], "%s", found)
    check(not os.path.exists(host.inside("/var/lib/prometheus/node-exporter/electd.prom")),
          "its metrics are still there")


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("metrics")
    result.attempt("the dashboard is well formed", well_formed)
    with guide.lan() as net:
        server = net.hosts[0]
        for host in net.hosts:
            host.write("/etc/systemd/system/electd-metrics.timer.d/faster.conf", FASTER)
        net.start()
        result.attempt("installed", installed, net, page)
        result.attempt("rules are valid", rules_are_well, server)
        guide.move(net)
        result.attempt("a host that differs is reported", differs, server, net.hosts[-1])
        result.attempt("each expression returns a row", each_returns_a_row, server, net)
        result.attempt("a stopped host is reported", stops, server, net.hosts[-1])
        result.attempt("every block is typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
