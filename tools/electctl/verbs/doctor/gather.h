/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather: collects facts that this host shows to any local process, one file for each source.
 * Judges nothing. A source that cannot be read is listed as unlooked (findings.h), and its fact is
 * missing.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_GATHER_H
#define ELECTCTL_VERBS_DOCTOR_GATHER_H

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>

/* ---- ear.c: datagrams that arrive on interfaces that electd does not use ---------------- */

struct ear {
	int fd; /* -1: closed */
};

/*
 * Joins the group on each interface of facts["interfaces"] that facts["doctor"] does not use,
 * because electd hears the others. It only reads, and takes no datagram away from electd. 0 or
 * -errno; -EINVAL: `group` is no multicast group.
 */
int ear_open(const json_t *facts, const char *group, unsigned port, struct ear *ret_ear);
/* Listens for `ms` milliseconds. Appends each sender once for each interface. */
void ear_listen(const struct ear *ear, long ms, json_t *heard);
void ear_close(struct ear *ear);

/* ---- arp.c: other machines with an address of this host; only for root ------------------ */

/*
 * Asks on each path of Doctor's answer, only for addresses of this host. Returns the socket for
 * arp_read(), or -errno.
 */
int arp_ask(const json_t *doctor);
/* Appends the machines that have answered by now; closes the socket. */
void arp_read(int fd, const json_t *doctor, json_t *twice);

/* ---- host.c: interfaces, rules, units --------------------------------------------------- */

/* [{"name", "address", "up", "empty"}]: those with multicast and an IPv4 address, except "lo". */
json_t *host_interfaces(void);
/* net.ipv4.udp_l3mdev_accept; NULL: this kernel has no VRF. */
json_t *host_l3mdev(void);
/* The output of nft; NULL: added to unlooked_list. */
json_t *host_ruleset(json_t *unlooked_list);
/* The units of an instance, "" for the main one; NULL: added to unlooked_list. */
json_t *host_units(const char *instance, json_t *unlooked_list);
/* The units in the output of `systemctl show`: [{"name", "active", "result", "exit"}]. */
json_t *host_units_read(const char *text);
/*
 * routes.c: the interfaces by which routes lead to hosts that electd has heard on its LANs, and
 * what the kernel does with datagrams from these hosts (judge.h).
 */
json_t *routes_of_host(const json_t *doctor);
/* The same for the peers that network.peers names. */
json_t *routes_of_peers(const json_t *status);

/* ---- port.c: programs that use electd's ports ------------------------------------------- */

/*
 * {"port", "last", "who"}: who uses the port of the group, in either family, or all ports of a
 * range from "port" on, of which "who" uses the first; NULL: the port or a port of the range is
 * free. Only for when electd does not run, because it binds for a moment what electd binds.
 */
json_t *port_group_taken(const struct in_addr *group, unsigned port);
json_t *port_range_taken(unsigned first, unsigned last);

#endif
