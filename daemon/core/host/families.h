/* SPDX-License-Identifier: Apache-2.0 */
/*
 * families: which links a datagram to all may spare, if a LAN has IPv4 and IPv6 (links.md, Two
 * families). Each LAN counts alone. The election decides when (frame/spare.h).
 */
#ifndef ELECTD_CORE_HOST_FAMILIES_H
#define ELECTD_CORE_HOST_FAMILIES_H

#include "own.h"

/* The families by which a host hears all links of this one that have them, if it reports `hears`,
   and only those that leave a link to spare: bits ELECT_BY_... */
uint8_t families_enough(const struct host *h, const struct elect_hears *hears);

/* By how many addresses that host is heard by multicast; none if this host has one family only, so
   that its coordinator spares nothing. */
struct elect_hears families_hears(const struct host *h, uint64_t now_us, const struct elect_id *id);

#endif
