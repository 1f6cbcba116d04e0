#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends router advertisements of one prefix, as radvd(8) does, until standard input ends.

router.py INTERFACE PREFIX/64 SECONDS: every SECONDS, and when a host asks. Lifetimes are short, so
each one renews the default route and the addresses of every host that receives it."""
import ipaddress
import select
import socket
import struct
import sys

ALL_NODES, ALL_ROUTERS = "ff02::1", "ff02::2"
SOLICITATION, ADVERTISEMENT = 133, 134
ROUTER_S, VALID_S, PREFERRED_S = 90, 120, 60


def advertisement(prefix):
    """The kernel fills in the checksum."""
    on_link_and_autonomous = 0xc0
    return struct.pack("!BBHBBHII", ADVERTISEMENT, 0, 0, 64, 0, ROUTER_S, 0, 0) + struct.pack(
        "!BBBBIII16s", 3, 4, prefix.prefixlen, on_link_and_autonomous, VALID_S, PREFERRED_S, 0,
        prefix.network_address.packed)


def open_socket(interface):
    index = socket.if_nametoindex(interface)
    s = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                 socket.inet_pton(socket.AF_INET6, ALL_ROUTERS) + struct.pack("@I", index))
    return s


def main():
    interface, prefix, seconds = sys.argv[1], ipaddress.ip_network(sys.argv[2]), float(sys.argv[3])
    with open_socket(interface) as s:
        while True:
            try:
                s.sendto(advertisement(prefix), (ALL_NODES, 0))
            except OSError:
                pass   # no address yet, or only a tentative one
            ready = [None]
            while ready:
                ready = select.select([s, sys.stdin], [], [], seconds)[0]
                if sys.stdin in ready:
                    return
                if s in ready and s.recv(2048)[0] == SOLICITATION:
                    break


if __name__ == "__main__":
    main()
