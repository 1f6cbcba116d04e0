/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather: what this host shows to whoever asks: a file a source. Judges nothing. What cannot be
 * looked at is said to be so (findings.h), and is no fact.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_GATHER_H
#define ELECTCTL_VERBS_DOCTOR_GATHER_H

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>

/* ---- ear.c: what arrives by the interfaces that electd does not use ----------------------------
 */

struct ear {
	int fd; /* -1: closed */
};

/*
 * Joins the group on each interface of facts["interfaces"] that facts["doctor"] does not use, for
 * electd hears the others. Reading only: electd misses nothing by it. 0 or -errno; -EINVAL: it is
 * no group.
 */
int ear_open(const json_t *facts, const char *group, unsigned port, struct ear *ret_ear);
/* For so long: what was heard into the array, each sender once for each interface. */
void ear_listen(const struct ear *ear, long ms, json_t *heard);
void ear_close(struct ear *ear);

/* ---- arp.c: who else has an address of this host; for root only
 * ---------------------------------- */

/*
 * Asks on each path of Doctor's answer, for addresses of this host only. The socket to be read
 * later, or -errno.
 */
int arp_ask(const json_t *doctor);
/* Who has answered by now, into the array; closes the socket. */
void arp_read(int fd, const json_t *doctor, json_t *twice);

/* ---- host.c: interfaces, rules, units ---------------------------------------------------------
 */

/* [{"name", "address", "up", "empty"}]: able to multicast, with an address of IPv4, but "lo". */
json_t *host_interfaces(void);
/* net.ipv4.udp_l3mdev_accept; NULL: this kernel has no VRF. */
json_t *host_l3mdev(void);
/* What nft says; NULL: said to be not looked at. */
json_t *host_ruleset(json_t *unlooked_list);
/* Those of an instance, "" for the main one; NULL: as above. */
json_t *host_units(const char *instance, json_t *unlooked_list);
/* What `systemctl show` said of several: [{"name", "active", "result", "exit"}]. */
json_t *host_units_read(const char *text);
/*
 * routes.c: by which interface the routes lead to hosts that electd has heard on its LANs, with
 * what the kernel does with datagrams of them (judge.h).
 */
json_t *routes_of_host(const json_t *doctor);
/* ... and to the peers that network.peers names. */
json_t *routes_of_peers(const json_t *status);

/* ---- port.c: who keeps electd from its ports ----------------------------------------------------
 */

/*
 * {"port", "last", "who"}: who has the port of the group, by either family, or all ports of a range
 * from "port" on, of which the first is told; NULL: nobody does. For when electd does not run: what
 * it binds is bound here for a moment.
 */
json_t *port_group_taken(const struct in_addr *group, unsigned port);
json_t *port_range_taken(unsigned first, unsigned last);

#endif
