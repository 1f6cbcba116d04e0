# SPDX-License-Identifier: Apache-2.0
"""Datagrams on the wire of a Lan: captured by type, parsed, and composed with other contents."""
import socket
import struct

MESSAGES = ("none Hello AYCoord AYCoord_answer AYThere AYThere_answer Invitation Accept "
            "Accept_answer Ready Ready_answer Decline Goodbye Challenge Challenge_answer").split()
BULLY = ("AYUp AYUp_answer AYNormal AYNormal_answer EnterElection EnterElection_answer SetCoord "
         "SetCoord_answer NewState NewState_answer").split()


def name_of(kind):
    names, at = (BULLY, kind - 16) if kind >= 16 else (MESSAGES, kind)
    return names[at] if at < len(names) else "type %d" % kind


# MAC address, address and port of the multicast group.
EVERYBODY = b"\x01\x00\x5e\x00\x00\xfe", "224.0.0.254", 7543


IPV4, IPV6 = b"\x08\x00", b"\x86\xdd"


def is_udp(frame):
    return (frame[12:14] == IPV4 and frame[23] == 17) or (
        frame[12:14] == IPV6 and frame[20] == 17)


class Injector:
    """Sends frames into a host's cable, from the machine's end of it."""

    def __init__(self, port):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.bind((port, 0))

    def send(self, frame):
        self.socket.send(frame)


class Sniffer:
    """Captures every electd datagram that a host sends into its port, by type.

    A packet socket on the machine's side of all cables receives what the hosts send. `frames`: all
    frames so far, whichever caller drained them (IPv4, ARP and IPv6).
    """

    MAGIC = b"ECLT"
    COUNTED = IPV4, b"\x08\x06", IPV6

    def __init__(self, lan):
        self.frames = 0
        self.ports = {host.port: host for host in lan.hosts}
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.socket.setblocking(False)

    def close(self):
        self.socket.close()

    def drain(self):
        """Returns (host, multicast?, type name, frame) of the datagrams since the last call."""
        seen = []
        while True:
            try:
                frame, where = self.socket.recvfrom(4096)
            except BlockingIOError:
                return seen
            host = self.ports.get(where[0])
            if where[2] == socket.PACKET_OUTGOING or frame[12:14] not in self.COUNTED:
                continue
            self.frames += host is not None
            if host is None or not is_udp(frame) or payload_of(frame)[:4] != self.MAGIC:
                continue
            seen.append((host, bool(frame[0] & 1), name_of(payload_of(frame)[5]), frame))


def address_bytes(address):
    return socket.inet_aton(address)


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def frame_with(frame, payload, ttl=255, to=None):
    """Returns the captured IPv4 frame with another payload, or to another host: `to` is (MAC,
    address, port).

    The checksums are computed anew: in a captured frame the card often was to compute them, so a
    copy of the frame would be dropped.
    """
    at = 14 + (frame[14] & 15) * 4
    ip = bytearray(frame[14:at])
    ethernet = frame[:14]
    if to:
        ethernet = to[0] + frame[6:14]
        ip[16:20] = socket.inet_aton(to[1])
    ip[2:4] = struct.pack("!H", len(ip) + 8 + len(payload))
    ip[8] = ttl
    ip[10:12] = b"\0\0"
    ip[10:12] = struct.pack("!H", checksum(bytes(ip)))
    port = struct.pack("!H", to[2]) if to else frame[at + 2:at + 4]
    udp = frame[at:at + 2] + port + struct.pack("!HH", 8 + len(payload), 0)
    return ethernet + bytes(ip) + udp + payload


def payload_of(frame):
    at = 54 if frame[12:14] == IPV6 else 14 + (frame[14] & 15) * 4
    return frame[at + 8:]


KINDS = {name: kind for first, names in ((0, MESSAGES), (16, BULLY))
         for kind, name in enumerate(names, first)}
HEADER_SIZE, TAG_SIZE = 80, 16


def session_of(frame):
    return payload_of(frame)[16:40]


def number_of(frame):
    data = payload_of(frame)
    return bool(data[10] & 1), int.from_bytes(data[48:56], "big")


def field(number, value):
    return struct.pack("!HH", number, len(value)) + value


def composed(data, sequence, to_all, kind=None, transaction=None, body=None):
    """Returns a datagram like `data` except for these values, with space for its tag."""
    header = bytearray(data[:HEADER_SIZE])
    body = data[HEADER_SIZE:-TAG_SIZE] if body is None else body
    if kind:
        header[5] = KINDS[kind]
    header[6:8] = struct.pack("!H", HEADER_SIZE + len(body) + TAG_SIZE)
    header[10] = to_all
    header[48:56] = struct.pack("!Q", sequence)
    if transaction is not None:
        header[56:72] = transaction
    return bytes(header) + body + bytes(TAG_SIZE)


def fields(frame):
    """{number: bytes} of a whole datagram (trust.md 2: header of 80 bytes, tag of 16)"""
    data = payload_of(frame)[80:-16]
    found = {}
    while len(data) >= 4:
        number, length = struct.unpack("!HH", data[:4])
        found[number] = data[4:4 + length]
        data = data[4 + length:]
    return found
