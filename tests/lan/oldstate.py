#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An older copy of the state folder, put back while electd is stopped (D1).

oldstate.py [PAIRS]: so many pairs of lives out of one copy (default 4), alone and with a host that
remembers the later one: 5 starts, a copy, 5 starts, the copy put back, 5 starts, each a group of
its own. Alone at most one pair in 200 may have a group id twice; with the other host each must be
told. Each host has a domain, or shares it with that one, so many pairs run on one LAN.
"""
import os
import shutil
import signal
import sys
import threading

import lan
import report
from report import Failed

STARTS = 5
LANES = 4
CONFIG = """domain = "pair%d";
timing = { beacon_interval_ms = 20; dead_after_ms = 60; };
"""
TOLD = "older copy"


def told(host):
    return bool(host.view) and any(TOLD in p for p in host.view["health"]["problems"])


def start_and_stop(net, host, mark, condition):
    host.start()
    net.wait("%s is in a group" % host.name, condition)
    host.end(signal.SIGTERM)


def life(net, host, condition, starts=STARTS):
    """The groups it formed, at least one a start when it is alone."""
    mark = net.mark()
    for _ in range(starts):
        start_and_stop(net, host, mark, condition)
    own = "%s." % host.name
    return [e["status"]["group"]["id"] for _, h, e in net.since(mark)
            if h is host and e["event"] == "leader" and
            e["status"]["group"]["id"].startswith(own)]


def clear(host):
    shutil.rmtree(host.state_dir, ignore_errors=True)
    shutil.rmtree(host.state_dir + ".copy", ignore_errors=True)


def copy(host):
    shutil.copytree(host.state_dir, host.state_dir + ".copy")


def put_back(host):
    shutil.rmtree(host.state_dir)
    os.rename(host.state_dir + ".copy", host.state_dir)


def pair_alone(net, host):
    """True: a group id came twice."""
    clear(host)

    def leads():
        return host.view and host.view["role"] == "leader"
    ids = life(net, host, leads)
    copy(host)
    ids += life(net, host, leads)
    put_back(host)
    ids += life(net, host, leads)
    if len(ids) < 3 * STARTS:  # one that stood still for a moment forms another
        raise Failed("%s formed %d groups in %d starts" % (host.name, len(ids), 3 * STARTS))
    return len(set(ids)) < len(ids)


def pair_told(net, host, other):
    """`other` runs all the time, and knows. True: it was told."""
    clear(host)

    def joined():
        return host.view and host.view["state"] == "normal" and len(host.view["members"]) == 2
    life(net, host, joined, 1)
    copy(host)
    life(net, host, joined)
    if told(host):
        raise Failed("%s was told of an older copy where there was none" % host.name)
    put_back(host)
    host.start()
    net.wait("%s is in a group" % host.name, joined)
    net.wait("%s is told that its state is an older copy" % host.name, lambda: told(host))
    check = host.electctl("check")
    if check.returncode != 6 or TOLD not in check.stdout + check.stderr:
        raise Failed("check: %d %s" % (check.returncode, check.stdout))
    if told(other):
        raise Failed("%s was told so, too" % other.name)
    host.end(signal.SIGTERM)
    return True


def lanes(pairs, function):
    """function(lane) for each of the pairs, LANES at a time; what they returned."""
    results, failures, turn = [], [], iter(range(pairs))
    lock = threading.Lock()

    def work(lane):
        while not failures:
            with lock:
                if next(turn, None) is None:
                    return
            try:
                results.append(function(lane))
            except (Failed, OSError, AssertionError) as failure:
                failures.append(failure)
    threads = [threading.Thread(target=work, args=(lane,)) for lane in range(LANES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results


def alone(net, pairs):
    twice = sum(lanes(pairs, lambda lane: pair_alone(net, net.hosts[lane])))
    words = "%d pairs, a group id twice in %d" % (pairs, twice)
    if twice > (pairs + 199) // 200:
        raise Failed(words)
    return words


def with_another(net, pairs):
    for other in net.hosts[LANES:]:
        other.start()
    lanes(pairs, lambda lane: pair_told(net, net.hosts[lane], net.hosts[LANES + lane]))
    return "%d pairs, all told" % pairs


def main():
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    result = report.Report()
    lan.setup()
    with lan.Lan(2 * LANES) as net:
        for number, host in enumerate(net.hosts):
            host.write_config(CONFIG % (number % LANES))
        result.attempt("alone", alone, net, pairs)
        result.attempt("with a host that knows better", with_another, net, pairs)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
