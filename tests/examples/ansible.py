#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/ansible, as printed, over ssh: new hosts become a group; a second run changes nothing; a
change is reloaded and keeps the leader; an invalid change is refused; the first key, and another
key."""
import os
import re

import guide
from hosts import Failed
import report

CONFIG = "/etc/electd/electd.conf"
HOOK = "#!/bin/sh\nexit 0\n"
VARIABLES = """electd_source: none
electd_config: |
  quorum = 2;
  priority = {{ electd_priority | default(100) }};
electd_hooks: [/root/10-nothing]
"""
KEYS = ("electd_keys: ['1 %s']\n" % ("1a" * 32), "electd_keys: ['2 %s']\n" % ("2b" * 32))
RECAP = re.compile(r"^(\S+)\s+: ok=\d+\s+changed=(\d+)\s+unreachable=(\d+)\s+failed=(\d+)", re.M)


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


class Controller:
    """A host that has the example's folder, and an ssh key for the others."""

    def __init__(self, net, page):
        self.net = net
        self.page = page
        self.host = net.hosts[0]
        folder = next(f for f in guide.FOLDERS if os.path.isdir(self.host.inside(f + "ansible")))
        self.folder = folder + "ansible"
        self.host.sh("mkdir -p -m 700 /root/.ssh && ssh-keygen -q -t ed25519 -N '' "
                     "-f /root/.ssh/id_ed25519")
        public = self.host.sh("cat /root/.ssh/id_ed25519.pub").stdout
        for host in net.hosts:
            host.sh("mkdir -p -m 700 /root/.ssh && echo '%s' >/root/.ssh/authorized_keys" %
                    public.strip())
            host.systemctl("start", "ssh")
        self.host.sh("ssh-keyscan %s >/root/.ssh/known_hosts 2>/dev/null" %
                     " ".join(h.name for h in net.hosts))
        self.write("/root/10-nothing", HOOK)

    def write(self, path, text):
        with open(self.host.inside(path), "w") as f:
            f.write(text)

    def variables(self, text):
        self.write(self.folder + "/group_vars/electd.yml", text)

    def play(self, words="", good=True):
        """Runs the playbook. Returns the number of changes on each host, and the output."""
        begin = "ansible-playbook site.yml"
        block = next(b for b in self.page.blocks if b == begin + words)
        if block in self.page.left:
            self.page.left.remove(block)
        done = self.page.shell(self.host, block, check=False, timeout=180)
        recap = RECAP.findall(done.stdout)
        wrong = done.returncode or len(recap) != len(self.net.hosts)
        check(bool(wrong) != good, "%s%s", done.stdout[-1500:], done.stderr[-500:])
        check("1a1a" not in done.stdout and "2b2b" not in done.stdout, "the output has the key")
        return sum(int(changed) for _, changed, _, _ in recap), done.stdout


def leadership(net):
    """The leader, its token, and the process of electd on each host."""
    leader = net.settle()
    return leader, leader.ask()["token"], [h.main_pid("electd") for h in net.hosts]


def first(control, net):
    control.variables(VARIABLES)
    would, _ = control.play(" --check --diff")
    check(would and not any(h.state("electd") == "active" for h in net.hosts), "check mode acts")
    changed, _ = control.play()
    net.settle()
    for host in net.hosts:
        check(host.state("electd") == "active", "%s does not run", host.name)
        check(host.systemctl("is-enabled", "electd").stdout.strip() == "enabled", "not at boot")
        check(host.electctl("check").stdout.startswith("OK"), "not well")
        listed = host.electctl("hooks", "list").stdout
        check("10-nothing" in listed, "%s", listed)
    return "%d changes" % changed


def second(control, net):
    before = leadership(net)
    changed, text = control.play()
    check(changed == 0, "%s", text)
    check(leadership(net) == before, "another leader")
    return "0 changes"


def reloaded(control, net):
    """First in check mode, which changes nothing."""
    before = leadership(net)
    control.variables(VARIABLES.replace("default(100)", "default(90)"))
    would, text = control.play(" --check --diff")
    check(would == len(net.hosts) and "+priority = 90;" in text, "%s", text)
    check("100" in net.hosts[-1].sh("cat " + CONFIG).stdout, "check mode writes")
    changed, text = control.play()
    check(changed == len(net.hosts), "%s", text)
    for host in net.hosts:
        check(host.ask()["node"]["priority"] == 90, "%s has not taken it", host.name)
    check(leadership(net) == before, "another leader, or electd was restarted")
    return "%d changes, the same leader and token" % changed


def refused(control, net):
    """The first host refuses the change, and the play does not touch the others."""
    before = leadership(net)
    control.variables(VARIABLES.replace("quorum = 2", "quorum = 5000"))
    _, text = control.play(good=False)
    check("quorum" in text, "%s", text)
    for host in net.hosts:
        check("5000" not in host.sh("cat " + CONFIG).stdout, "%s has it", host.name)
    check(leadership(net) == before, "another leader")


def keys(control, net, text, number):
    before = leadership(net)
    control.variables(VARIABLES.replace("default(100)", "default(90)") + text)
    control.play()
    for host in net.hosts:
        path = host.inside("/etc/credstore/electd.keys")
        with open(path) as f:
            lines = f.read().splitlines()
        check([line.split()[0] for line in lines] == [number], "%s has %d keys", host.name,
              len(lines))
        check(os.stat(path).st_mode & 0o777 == 0o600, "its mode")
        check("enforce" in host.sh("cat /etc/electd/electd.conf.d/auth.conf").stdout, "its auth.mode")
        host.electctl("keys", "status", "--wait", "sent", number)
    check(leadership(net) == before, "another leader, or electd was restarted")


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("ansible")
    with guide.lan(3) as net:
        for host in net.hosts:
            host.boot()
        for host in net.hosts:
            host.booted()
        control = Controller(net, page)
        result.attempt("the first run", first, control, net)
        result.attempt("the second run", second, control, net)
        result.attempt("a change is reloaded", reloaded, control, net)
        result.attempt("an invalid change is refused", refused, control, net)
        result.attempt("the first key", keys, control, net, KEYS[0], "1")
        result.attempt("another key", keys, control, net, KEYS[1], "2")
        result.attempt("every block is typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
