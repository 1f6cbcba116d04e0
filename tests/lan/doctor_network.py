# SPDX-License-Identifier: Apache-2.0
"""Faults of a LAN, for doctor.py: firewalls, who hears whom, multicast.

Each takes the LAN and how often doctor is asked, breaks the LAN in one way and reads the answer.
"""
from doctor_tools import (
    APART, GROUP, NOBODY, await_call, await_said, command_of, healthy, heard, mended, named, nft,
    restart_with, told, typed)
from lan import Failed, run, until

# ---- firewalls -----------------------------------------------------------------------------------

INSERT = r"sudo nft insert rule .* accept"


def firewall_in(net, runs):
    """On a member: it leaves its group, and knows why."""
    _, (host, _) = net.leader_and_others()
    host.let_in("udp dport 7543 drop")
    found = named(host, runs, "firewall", "of inet test in of this host drops what others send to "
                  "all", *APART)
    named(host, 1, "multicast-not-back", "by eth0 does not come back", *APART, user=NOBODY)
    return told(runs, found) + "; " + mended(net, host, found, command_of(found, INSERT))


def firewall_policy(net, runs):
    """What is meant for this host alone: nobody answers it."""
    host = net.leader()
    nft(host, "table inet test { chain in { type filter hook input priority 0; policy drop; "
        "udp dport 7543 accept; iif lo accept; }; }")
    found = named(host, runs, "firewall", "the policy of inet test in of this host drops what others "
                  "send to this host alone", *APART)
    return told(runs, found) + "; " + mended(net, host, found, command_of(found, INSERT))


def firewall_out(net, runs):
    host = net.leader()
    nft(host, "table ip test { chain out { type filter hook output priority 0; ip daddr %s drop; }; }"
        % GROUP)
    found = named(host, runs, "firewall", "of ip test out of this host drops what this host sends to "
                  "all", *APART)
    return told(runs, found) + "; " + mended(net, host, found, command_of(found, INSERT))


# ---- who hears whom --------------------------------------------------------------------------------

def one_way(net, runs):
    """And on the other host, where the answer sends whoever reads it, the rule is named. Groups that do
    not merge for thirty beacons are a problem, too, and `check` says so."""
    leader, (host, _) = net.leader_and_others()
    host.let_in("ip saddr %s drop" % leader.address)
    await_said(leader, "it does not answer",
               lambda answer: answer["over"] and not heard(answer, host)["answered_all"])
    there = named(leader, runs, "one-way", "%s (%s) is heard here, and does not hear" % (
        host.name, host.address), "problem", *APART)
    if "on %s: sudo electctl doctor" % host.name not in there["remedy"]:
        raise Failed(there["remedy"])
    found = named(host, runs, "firewall", "of inet test in of this host drops", "problem", *APART)
    return told(runs, there, found) + "; " + mended(net, host, found, command_of(found, INSERT))


def multicast_out(net, runs):
    leader, (host, _) = net.leader_and_others()
    nft(None, "table bridge test { chain way { type filter hook forward priority 0; "
        "oifname %s ip saddr %s ip daddr %s drop; }; }" % (host.port, leader.address, GROUP))
    return told(runs, named(leader, runs, "multicast-unheard", "%s (%s) hears what is sent to it "
                            "alone" % (host.name, host.address), *APART))


def multicast_stops(net, runs):
    """Lost at the switch: the host's own firewall has nothing to do with it."""
    _, (host, _) = net.leader_and_others()
    nft(None, "table bridge test { chain way { type filter hook forward priority 0; "
        "oifname %s ip daddr %s drop; }; }" % (host.port, GROUP))
    await_silence(host)
    return told(runs, named(host, runs, "multicast-stops", "multicast to %s stopped reaching this "
                            "host" % GROUP, *APART))


def multicast_lost(net, runs):
    """The same from the beginning: others hear it, and answer it alone."""
    host = net.hosts[1]
    host.kill()
    nft(None, "table bridge test { chain way { type filter hook forward priority 0; "
        "oifname %s ip daddr %s drop; }; }" % (host.port, GROUP))
    host.start()
    net.wait("it answers", lambda: host.view)
    await_said(host, "others answer", lambda answer: any(h["to_one_ms"] for h in answer["hosts"]))
    return told(runs, named(host, runs, "multicast-lost", "multicast to %s is lost on the way" % GROUP,
                            *APART))


def await_silence(host):
    """Nothing to all arrives any more."""
    await_said(host, "multicast is lost", lambda answer: answer["to_all_ms"] > 3000)


def pruned(net, runs):
    """A switch that listens to IGMP: one host's reports get lost, and it is forgotten."""
    group = "239.77.0.1"
    _, (host, _) = net.leader_and_others()
    for one in net.hosts:
        restart_with(one, network='group4 = "%s";' % group)
    net.settle()
    run("ip", "link", "set", net.bridge(0), "type", "bridge", "mcast_query_response_interval", "100",
        "mcast_query_interval", "200", "mcast_membership_interval", "400",
        "mcast_startup_query_interval", "50", "mcast_snooping", "1", "mcast_querier", "1")
    net.quiet(3)
    nft(None, "table bridge test { chain way { type filter hook prerouting priority -300; "
        "iifname %s ip protocol igmp drop; }; }" % host.port)
    await_silence(host)
    found = named(host, runs, "multicast-stops", "multicast to %s stopped reaching this host" % group,
                  *APART)
    command_of(found, "IGMP")
    return told(runs, found)


def routed(net, runs):
    leader, (host, _) = net.leader_and_others()
    nft(leader, "table ip test { chain out { type filter hook output priority mangle; "
        "udp dport 7543-7575 ip ttl set 254; }; }")
    return told(runs, named(host, runs, "routed", "from %s come with TTL 254" % leader.address, *APART))


# ---- without multicast -----------------------------------------------------------------------------

def by_peers(net):
    """The group is dropped by the network, and peers are named."""
    nft(None, "table bridge test { chain way { type filter hook forward priority 0; "
        "ip daddr 224.0.0.0/4 drop; }; }")
    for host in net.hosts:
        restart_with(host, network="peers = [ %s ];" % ", ".join(
            '"%s"' % other.address for other in net.hosts))
    net.settle()
    healthy(net)


def peer_silent(net, runs):
    first, _, third = net.hosts
    by_peers(net)
    third.stop()
    await_call(first, "GetStatus", lambda status: any(
        peer["state"] == "silent" or (peer["state"] == "heard" and peer["heard_ms"] > 10000)
        for peer in status["peers"]))
    silent = named(first, runs, "peer-silent", "the peer %s does not answer" % third.address)
    for words in ("link add tunnel type veth peer name far", "link set far up", "link set tunnel up",
                  "route add %s dev tunnel" % third.address):
        run("ip", "-n", first.name, *words.split())
    elsewhere = named(first, runs, "peer-silent", "the route to it is by tunnel, which electd does not")
    typed(first, elsewhere, "ip route get %s" % third.address)
    return told(runs, silent, elsewhere)


def translated(net, runs):
    """By a rule of the host itself, whose address is no longer that under the tag; the others say from
    where. electctl check is red on all of them."""
    leader, (host, _) = net.leader_and_others()
    run("ip", "-n", host.name, "addr", "add", "10.77.0.200/24", "dev", "eth0")
    nft(host, "table ip nat { chain out { type nat hook postrouting priority 100; "
        "udp dport 7543-7575 snat to 10.77.0.200; }; }")
    host.stop()
    host.start()
    for one, words in (host, "what this host sends comes back from 10.77.0.200"), (
            leader, "what 10.77.0.200 sends is not authentic: address translation"):
        until("electctl check of %s says so" % one.name, lambda: words in one.electctl("check").stdout)
        if words not in " ".join(one.electctl("status").stdout.split()):
            raise Failed("electctl status of %s does not say so" % one.name)
    there = named(leader, runs, "other-secret", "10.77.0.200 is a router that changes the source", *APART)
    here = named(host, runs, "nat", "what this host sends comes back from 10.77.0.200", "one-way",
                 "multicast-unheard", *APART)
    return told(runs, there, here) + "; " + mended(net, host, here, command_of(
        here, r"sudo nft 'add table.* notrack'"))


FAULTS = [
    firewall_in, firewall_policy, firewall_out, one_way, multicast_out, multicast_stops,
    multicast_lost, pruned, routed, peer_silent, translated,
]
