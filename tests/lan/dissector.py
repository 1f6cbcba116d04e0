#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Wireshark shows by tools/wireshark/electd.lua is what `electctl decode` says.

Every kind of message is made real hosts say, recorded, and shown by both; and so are the fuzzers'
datagrams, among which every field is. A field that the protocol has and the dissector does not know
fails, and so does a kind of message of which there is none.
"""
import glob
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile

import frames
import lan
import report
from report import Failed

TREE = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
DISSECTOR = os.path.join(TREE, "tools/wireshark/electd.lua")
CORPUS = os.path.join(TREE, "tests/fuzz/corpus/wire")
MOST = 12            # frames of each kind and set of fields: decode is a process each
BUILT_IN = b"electd built-in key, not secret\0"
HEADER = {"sender": "electd.sender", "session": "electd.session",
          "incarnation": "electd.incarnation", "sequence": "electd.sequence",
          "to_all": "electd.to_all", "transaction": "electd.transaction",
          "counter": "electd.counter", "domain_hash": "electd.domain_hash", "key": "electd.key",
          "algorithm": "electd.algorithm", "tag": "electd.tag"}


# ---- datagrams -----------------------------------------------------------------------------------

def deaf(net, host, leader):
    """The host does not hear the leader for a while: it asks, tries to succeed, and is declined."""
    host.let_in("ip saddr %s drop" % leader.address)
    net.wait("it gives the leader up", lambda: host.view["group"] != leader.view["group"])
    host.let_in()
    net.settle()


def life(net):
    """Starts, ends, a split, a merge and a resignation make hosts say nearly all kinds of messages."""
    net.start()
    net.settle()
    net.leader().electctl("resign", "--for", "1")
    net.settle()
    deaf(net, next(h for h in net.hosts if h is not net.leader()), net.leader())
    net.split(net.hosts[:2], net.hosts[2:])
    for part in (net.hosts[:2], net.hosts[2:]):
        net.wait("a leader in each part", lambda part=part: net.agreed(part))
    net.heal()
    net.settle()
    for end in ("kill", "stop"):
        victim = net.leader()
        getattr(victim, end)()
        net.wait("another leads", lambda: net.agreed(net.running()))
        victim.start()
        net.settle()
    for host in net.hosts:
        host.kill()


def record(net, sniffer):
    """The frames of each kind that hosts say in two such lives: {name: [frame]}."""
    said = {}
    for _ in range(2):
        sniffer.drain()
        life(net)
        for _, _, name, frame in sniffer.drain():
            said.setdefault(name, []).append(frame)
    unsaid = set(frames.MESSAGES) - set(said) - {"none", "Accept_answer"}
    if unsaid:
        raise Failed("never said, so not recorded: %s" % sorted(unsaid))
    return said


def sealed(frame, payload, domain=b"default"):
    """The frame with another payload and its tag, under the key that everybody knows."""
    key = hashlib.blake2b(b"electd key\0" + domain, key=BUILT_IN, digest_size=32).digest()
    at = 14 + (frame[14] & 15) * 4
    covered = b"\4" + frame[26:30] + frame[at:at + 2] + payload[:-16]
    tag = hashlib.blake2b(covered, key=key, digest_size=16).digest()
    return frames.frame_with(frame, payload[:-16] + tag)


def late_accept(net, sniffer):
    """An Accept again, for a group that its inviter has not formed: what a host said that had stood
    still for some elections. No host says it on purpose."""
    follower = next(h for h in net.hosts if h is not net.leader())
    follower.kill()
    net.wait("it is gone", lambda: net.agreed(net.running()))
    sniffer.drain()
    follower.start()
    net.settle()
    seen = sniffer.drain()
    frame = next(f for host, _, name, f in seen if name == "Accept" and host is follower)
    payload = bytearray(frames.payload_of(frame))
    payload[48:56] = struct.pack("!Q", struct.unpack("!Q", payload[48:56])[0] + 1000)
    payload[84 + 16:84 + 24] = struct.pack("!Q", 1)
    frames.Injector(net.leader().port).send(sealed(frame, bytes(payload)))
    answers = []

    def answered():
        answers.extend(f for _, _, name, f in sniffer.drain() if name == "Accept_answer")
        return answers
    net.wait("an answer to what comes too late", answered)
    return answers


def recorded():
    """[payload] of every kind of message."""
    with lan.Lan(5, family="ipv4") as net:
        sniffer = frames.Sniffer(net)
        said = record(net, sniffer)
        net.start()
        net.settle()
        said["Accept_answer"] = late_accept(net, sniffer)
        sniffer.close()
    unsaid = set(frames.MESSAGES) - set(said) - {"none"}
    if unsaid:
        raise Failed("never said: %s" % sorted(unsaid))
    chosen = []
    for name in sorted(said):
        kinds = {}
        for frame in said[name]:
            kinds.setdefault(tuple(frames.fields(frame)), []).append(frames.payload_of(frame))
        for same in kinds.values():
            chosen += same[:MOST]
    return chosen


def of_fuzzers():
    found = []
    for path in sorted(glob.glob(CORPUS + "/*")):
        with open(path, "rb") as f:
            found.append(f.read())
    return found


# ---- both views ----------------------------------------------------------------------------------

def words(text):
    """A list is shown in lines here, in items there."""
    return " ".join(str(text).split())


def decoded(payload):
    """(kind, header, [(field, text)]) by electctl, None if it refuses the datagram."""
    done = subprocess.run([lan.ELECTCTL, "--json", "decode", "-"], input=payload, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode:
        return None
    told = json.loads(done.stdout)
    return told["type"], told["header"], [(f["name"], words(f["text"])) for f in told["fields"]]


def capture(payloads, path):
    """Each in a frame of its own, from one unicast port to another."""
    with open(path, "wb") as f:
        f.write(struct.pack("=IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for payload in payloads:
            udp = struct.pack("!HHHH", 7550, 7551, 8 + len(payload), 0) + payload
            ip = bytearray(struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 255, 17, 0,
                                       b"\x0a\x4d\0\1", b"\x0a\x4d\0\2"))
            ip[10:12] = struct.pack("!H", frames.checksum(bytes(ip)))
            frame = bytes(12) + b"\x08\0" + bytes(ip) + udp
            f.write(struct.pack("=IIII", 0, 0, len(frame), len(frame)) + frame)


def everything(layer, found):
    """{field: [value]} of what tshark tells of one datagram, in its order, however deep."""
    for key, value in layer:
        if isinstance(value, list):
            everything(value, found)
        else:
            found.setdefault(key, []).append(value)
    return found


def dissected(path):
    """[{field: [value]}] of each frame, the fields of a message with their items' text."""
    done = subprocess.run(["tshark", "-X", "lua_script:" + DISSECTOR, "-r", path, "-T", "json"],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, LC_ALL="C.UTF-8"))
    if done.returncode or "lua" in done.stderr.lower().replace("lua_script", ""):
        raise Failed("tshark: " + done.stderr[-600:])
    # The same key may be there several times, as that of items is.
    packets = json.loads(done.stdout, object_pairs_hook=list)
    seen = []
    for packet in packets:
        layers = dict(dict(packet)["_source"])["layers"]
        seen.append(everything(dict(layers).get("electd", []), {}))
    return seen


def plain(value):
    return value.replace(":", "").removeprefix("0x") if value else value


def shown_header(key, seen):
    value = seen[HEADER[key]][0]
    if key == "to_all":
        return value in ("1", "True")
    if key in ("sender", "transaction", "tag"):
        text = plain(value)
        return "-" if not text.strip("0") else text
    if key in ("session", "domain_hash"):
        return plain(value)
    return int(value) if key in ("key", "algorithm") else value


def compare(payloads, result, what):
    """How many of each kind both show alike."""
    views = [(p, decoded(p)) for p in payloads]
    views = [(p, view) for p, view in views if view]
    counts, fields, wrong = {}, set(), []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "capture.pcap")
        capture([p for p, _ in views], path)
        shown = dissected(path)
    if len(shown) != len(views):
        raise Failed("%d of %d frames shown" % (len(shown), len(views)))
    for (_, (kind, header, told)), seen in zip(views, shown):
        counts[kind] = counts.get(kind, 0) + 1
        wrong += differences(kind, header, told, seen)
        fields |= {name for name, _ in told}
    result.result("%s: %d datagrams are shown alike" % (what, len(views)), not wrong,
                  "\n".join(wrong[:20]))
    return counts, fields


def differences(kind, header, told, seen):
    wrong = []
    if frames.name_of(int(seen.get("electd.type", ["0"])[0])) != kind:
        return ["%s: shown as type %s" % (kind, seen.get("electd.type"))]
    if "_ws.malformed" in seen or any("expert" in key for key in seen):
        wrong.append("%s: shown as refused" % kind)
    for key, value in header.items():
        if str(shown_header(key, seen)) != str(value):
            wrong.append("%s, %s: %s, decode says %s" % (kind, key, shown_header(key, seen), value))
    items = list(seen.get("electd.item", []))
    exact = any(name == "loss_exact" for name, _ in told)
    for name, text in told:
        if name == "unknown":
            if "electd.unknown" not in seen:
                wrong.append("%s: a field is shown that hosts skip" % kind)
            continue
        mine = words((seen.get("electd." + name) or ["-"])[0])
        while mine != text and items and text.startswith(mine):
            mine = words(mine + " " + items.pop(0))
        # The word for older hosts: decode says the finer one in its place.
        if mine != text and not (name == "loss" and exact):
            wrong.append("%s, %s: %s, decode says %s" % (kind, name, mine, text))
    return wrong


def known():
    """The names of all fields that the dissector has."""
    done = subprocess.run(["tshark", "-G", "fields", "-X", "lua_script:" + DISSECTOR], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return {line.split("\t")[2] for line in done.stdout.splitlines()
            if line.startswith("F\t") and line.split("\t")[2].startswith("electd.")}


def main():
    result = report.Report()
    lan.setup()
    listed = lan.run(lan.ELECTCTL, "--json", "decode", "--fields").stdout
    names = {row["name"] for row in json.loads(listed)["fields"]}
    missing = sorted(name for name in names if "electd." + name not in known())
    result.result("the dissector has every field of the protocol", names and not missing,
                  str(missing))

    def real():
        counts, _ = compare(recorded(), result, "real hosts")
        return ", ".join("%s %d" % item for item in sorted(counts.items()))
    result.attempt("every kind of message is in the capture of real hosts", real)

    def fuzzed():
        _, fields = compare(of_fuzzers(), result, "the fuzzers'")
        if names - fields:
            raise Failed("in none of them: %s" % sorted(names - fields))
    result.attempt("every field is in the fuzzers' datagrams", fuzzed)
    result.exit()


if __name__ == "__main__":
    if subprocess.run(["sh", "-c", "command -v tshark"], check=False,
                      stdout=subprocess.DEVNULL).returncode:
        print("no tshark here (package tshark)")
        sys.exit(77)
    main()
