#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/load-balancer, as printed: the answers of the check, and where a real haproxy sends
requests at a hand-over. The service itself runs on every host, so only the check decides."""
import http.client
import socket
import threading

import guide
from hosts import Failed, now, run, until
import report

CHECK = 7580
APP = "[Service]\nExecStart=python3 /usr/local/bin/app\n[Install]\nWantedBy=multi-user.target\n"
ANSWER = """import http.server, socket
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(socket.gethostname().encode())
http.server.ThreadingHTTPServer(("", 8080), Answer).serve_forever()
"""


def address(host):
    return "192.0.2.%d" % host.number


def asked(host, data, wait=5):
    """Returns all that it answers to these bytes; nothing if it only closes."""
    answer = b""
    try:
        with socket.create_connection((address(host), CHECK), wait) as s:
            s.sendall(data)
            while True:
                piece = s.recv(4096)
                if not piece:
                    return answer.decode()
                answer += piece
    except ConnectionError:
        return answer.decode()


def code(answer):
    return answer.split()[1] if answer else None


class Clients:
    def __init__(self, balancer):
        self.balancer = balancer
        self.seen = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._ask)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, value, trace):
        self.over.set()
        self.thread.join()

    def _ask(self):
        while not self.over.wait(0.01):
            try:
                connection = http.client.HTTPConnection(address(self.balancer), 80, timeout=5)
                connection.request("GET", "/")
                reply = connection.getresponse()
                text = reply.read().decode()
                name = text if reply.status == 200 else str(reply.status)
                connection.close()
            except OSError:
                name = "none"
            self.seen.append((now(), name))

    def since(self, at):
        return [(t, name) for t, name in list(self.seen) if t >= at]


class Test:
    def __init__(self, net, page):
        self.net = net
        self.page = page
        self.hosts = net.hosts[:3]
        self.balancer = net.hosts[3]

    def leader(self):
        return self.net.leader(self.hosts)

    def settle(self):
        return self.net.settle([h for h in self.hosts if h.nspawn])

    def installed(self):
        for host in self.hosts:
            self.page.type(host, "install -m 755")
        for host in self.hosts:
            shown = self.page.type(host, "curl").stdout
            if shown not in ("leads\n", "does not lead\n"):
                raise Failed(shown)
        self.page.type(self.balancer, "haproxy -c")

    def answers(self):
        """The answers to each method and to nonsense, on each host."""
        leader = self.settle()
        for host in self.hosts:
            good = "200" if host is leader else "503"
            for request, wanted in (
                    ("GET / HTTP/1.0\r\n\r\n", good),
                    ("GET /any?thing HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\n", good),
                    ("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", good),
                    ("OPTIONS / HTTP/1.0\r\n\r\n", good),
                    ("GET / HTTP/1.0\n\n", good),
                    ("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "405"),
                    ("GET /\r\n\r\n", "400"),
                    ("\x16\x03\x01 $(reboot) `reboot` %s %n\n\n", "400")):
                answer = asked(host, request.encode())
                if code(answer) != wanted:
                    raise Failed("%s: %r to %r" % (host.name, answer, request))
                head, body = answer.split("\r\n\r\n")
                length = int(head.split("Content-Length: ")[1].split()[0])
                if len(body) != (0 if request.startswith("HEAD") else length):
                    raise Failed("%r to %r" % (answer, request))
        follower = next(h for h in self.hosts if h is not leader)
        follower.systemctl("stop", "electd")
        answer = asked(follower, b"GET / HTTP/1.0\r\n\r\n")
        if "cannot tell" not in answer:
            raise Failed(answer)
        follower.systemctl("start", "electd")
        self.settle()

    def slow(self):
        """A silent client is disconnected, and does not keep other clients from asking."""
        leader = self.settle()
        idle = [socket.create_connection((address(leader), CHECK), 10) for _ in range(10)]
        if code(asked(leader, b"GET / HTTP/1.0\r\n\r\n")) != "200":
            raise Failed("no answer next to them")
        for s in idle[:5]:
            s.sendall(b"GET / HTTP/1.0\r\nA: ")
        for s in idle:
            s.recv(1)
            s.close()

    def many(self):
        """More connections than systemd would accept for a socket by default."""
        leader = self.settle()
        answers, lock = [], threading.Lock()

        def ask():
            answer = code(asked(leader, b"GET / HTTP/1.0\r\n\r\n", 20))
            with lock:
                answers.append(answer)
        threads = [threading.Thread(target=ask) for _ in range(300)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not set(answers) <= {"200", None} or "200" not in answers:
            raise Failed(str({a: answers.count(a) for a in set(answers)}))
        if leader.state("leader-check.socket") != "active":
            raise Failed("the socket is given up")
        until("it answers", lambda: code(asked(leader, b"GET / HTTP/1.0\r\n\r\n")) == "200")
        until("nothing is left", lambda: not leader.systemctl(
            "list-units", "--all", "--no-legend", "leader-check@*").stdout.strip())

    def follows(self, how):
        """Requests go only to the leader, and to the next one when that leads."""
        old = self.settle()
        with Clients(self.balancer) as clients:
            until("the leader answers", lambda: [
                n for _, n in clients.seen[-20:]] == [old.name] * 20)
            begin = now()
            how(old)
            new = until("another leader", lambda: next(
                (h for h in self.hosts if h is not old and h.leads()), None))
            until("it answers", lambda: [
                name for _, name in clients.since(begin)[-20:]] == [new.name] * 20)
        wrong = [n for _, n in clients.since(begin)
                 if n not in (old.name, new.name, "503", "502", "none")]
        if wrong:
            raise Failed("answered by " + wrong[0])
        old.systemctl("start", "electd")
        self.settle()


def resign(host):
    host.electctl("resign", "--for", "1")


def kill(host):
    host.kill("electd")


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("load-balancer")
    with guide.lan(4) as net:
        test = Test(net, page)
        for host in test.hosts:
            host.write("/usr/local/bin/app", ANSWER)
            host.write("/etc/systemd/system/app.service", APP)
            run("systemctl", "--root", host.root, "-q", "enable", "app")
        net.start(test.hosts)
        run("ip", "address", "add", "192.0.2.100/24", "dev", net.bridge)
        result.attempt("installed", test.installed)
        result.attempt("the answers of the check", test.answers)
        result.attempt("slow clients", test.slow)
        result.attempt("many clients at once", test.many)
        for what, how in (("resign", resign), ("electd is killed", kill)):
            result.attempt("haproxy, " + what, test.follows, how)
        result.attempt("every block is typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
