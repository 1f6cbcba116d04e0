# SPDX-License-Identifier: Apache-2.0
"""An HTTP proxy for the apt of a host whose network namespace has no connection to the outside.

The program outside, in the network of this machine, calls serve(). The program inside opens the
port in the namespace and passes the socket through a file in a folder that both see. Connections
then arrive inside and leave outside. If the apt of this machine uses a proxy, that one is used."""
import os
import re
import socket
import subprocess
import threading
import urllib.parse

HEAD_MAX = 65536
NAME = "proxy"


def pour(source, sink):
    """Copies all data of one direction, and then its end."""
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in source, sink:
            end.close()


def join(one, other):
    back = threading.Thread(target=pour, args=(other, one), daemon=True)
    back.start()
    pour(one, other)
    back.join()


def fetch(client):
    """Serves one request. The reply announces that this connection takes no other."""
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(65536)
        head += data
        if not data or len(head) > HEAD_MAX:
            return
    head, body = head.split(b"\r\n\r\n", 1)
    first, *fields = head.decode("latin-1").split("\r\n")
    method, url, version = first.split()
    if method == "CONNECT":
        host, port = url.rsplit(":", 1)
    else:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname, parts.port or 80
        path = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
    with socket.create_connection((host, int(port)), 60) as server:
        server.settimeout(None)
        if method == "CONNECT":
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            fields = [f for f in fields if not re.match("(?i)(proxy-)?connection:", f)]
            head = "\r\n".join(["%s %s %s" % (method, path, version), *fields,
                                "Connection: close", "", ""])
            server.sendall(head.encode("latin-1") + body)
        join(client, server)


def to_the_next_proxy(address):
    def hand_on(client):
        with socket.create_connection(address, 60) as server:
            server.settimeout(None)
            join(client, server)
    return hand_on


def serve(folder):
    """Outside: serves in the background."""
    config = subprocess.run(["apt-config", "dump"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    found = re.search(r'(?m)^Acquire::http::Proxy "https?://([^/":]+):(\d+)', config)
    answer = to_the_next_proxy((found.group(1), int(found.group(2)))) if found else fetch
    door = socket.socket(socket.AF_UNIX)
    door.bind(os.path.join(folder, NAME))
    door.listen()

    def attend(client):
        with client:
            try:
                answer(client)
            except (OSError, ValueError):
                pass

    def accept():
        lender, _ = door.accept()
        with lender:
            listener = socket.socket(fileno=socket.recv_fds(lender, 1, 1)[1][0])
        while True:
            client, _ = listener.accept()
            threading.Thread(target=attend, args=(client,), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()


def listen(folder, address):
    """Inside: the proxy has this address, (host, port), from now on."""
    with socket.create_server(address, backlog=64) as listener, \
            socket.socket(socket.AF_UNIX) as door:
        door.connect(os.path.join(folder, NAME))
        socket.send_fds(door, [b"."], [listener.fileno()])
