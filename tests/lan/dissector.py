#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wireshark with tools/wireshark/electd.lua must show the same as `electctl decode`.

The datagrams come from `electsim run --pcap`, with seeds until each kind of message is among them,
and from the corpus of the fuzzers, which has each field. No LAN is needed.
"""
import glob
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
ELECTSIM = os.path.join(lan.BUILDDIR, "electsim")
SEEDS = 100
MOST = 4    # frames of each kind and set of fields: each needs a process
HEADER = {"sender": "electd.sender", "session": "electd.session",
          "incarnation": "electd.incarnation", "sequence": "electd.sequence",
          "to_all": "electd.to_all", "transaction": "electd.transaction",
          "counter": "electd.counter", "domain_hash": "electd.domain_hash", "key": "electd.key",
          "algorithm": "electd.algorithm", "tag": "electd.tag"}


def frames_of(path):
    with open(path, "rb") as f:
        f.read(24)
        while record := f.read(16):
            yield f.read(struct.unpack("=I", record[8:12])[0])


def simulated():
    """Returns [payload] of every kind of message, a few of each set of fields."""
    kinds, missing = {}, set(frames.MESSAGES) - {"none"}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "capture.pcap")
        for seed in range(1, SEEDS + 1):
            lan.run(ELECTSIM, "run", "--seed", str(seed), "--hosts", "5..8", "--pcap", path)
            for frame in frames_of(path):
                name = frames.name_of(frames.payload_of(frame)[5])
                missing.discard(name)
                same = kinds.setdefault((name, *frames.fields(frame)), [])
                if len(same) < MOST:
                    same.append(frames.payload_of(frame))
            if not missing:
                if not all("electd.type" in seen for seen in dissected(path)):
                    raise Failed("a frame of electsim is not shown as one of electd")
                return [payload for key in sorted(kinds) for payload in kinds[key]]
    raise Failed("no datagram has: %s" % sorted(missing))


def of_fuzzers():
    found = []
    for path in sorted(glob.glob(CORPUS + "/*")):
        with open(path, "rb") as f:
            found.append(f.read())
    return found


def words(text):
    """Removes the layout: one program shows a list in lines, the other in items."""
    return " ".join(str(text).split())


def decoded(payload):
    """Returns (kind, header, [(field, text)]) by electctl; None if it refuses the datagram."""
    done = subprocess.run([lan.ELECTCTL, "--json", "decode", "-"], input=payload, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode:
        return None
    told = json.loads(done.stdout)
    return told["type"], told["header"], [(f["name"], words(f["text"])) for f in told["fields"]]


def capture(payloads, path):
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
    """{field: [value]} of one datagram in tshark's output, in its order, from all depths"""
    for key, value in layer:
        if isinstance(value, list):
            everything(value, found)
        else:
            found.setdefault(key, []).append(value)
    return found


def dissected(path):
    """[{field: [value]}] of each frame; fields of a message include the text of their items"""
    done = subprocess.run(["tshark", "-X", "lua_script:" + DISSECTOR, "-r", path, "-T", "json"],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, LC_ALL="C.UTF-8"))
    if done.returncode or "lua" in done.stderr.lower().replace("lua_script", ""):
        raise Failed("tshark: " + done.stderr[-600:])
    # A key may occur several times, such as the key of the items.
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
    """Returns how many of each kind both programs show alike, and the fields in them."""
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
        # The dissector shows the value for older hosts; decode replaces it with the exact one.
        if mine != text and not (name == "loss" and exact):
            wrong.append("%s, %s: %s, decode says %s" % (kind, name, mine, text))
    return wrong


def known():
    done = subprocess.run(["tshark", "-G", "fields", "-X", "lua_script:" + DISSECTOR], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return {line.split("\t")[2] for line in done.stdout.splitlines()
            if line.startswith("F\t") and line.split("\t")[2].startswith("electd.")}


def main():
    result = report.Report()
    listed = lan.run(lan.ELECTCTL, "--json", "decode", "--fields").stdout
    names = {row["name"] for row in json.loads(listed)["fields"]}
    shown = known()
    missing = sorted(name for name in names if "electd." + name not in shown)
    result.result("the dissector has every field of the protocol", names and not missing,
                  str(missing))

    def all_kinds():
        counts, _ = compare(simulated(), result, "electsim's")
        return ", ".join("%s %d" % item for item in sorted(counts.items()))
    result.attempt("every kind of message is in the captures of electsim", all_kinds)

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
