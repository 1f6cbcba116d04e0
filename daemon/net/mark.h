/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mark: what tells an address that electd-address added from all others: the attribute IFA_PROTO,
 * and on kernels before 5.18, which have none, the label of an IPv4 address. There, an IPv6 address
 * has no mark.
 */
#ifndef ELECTD_NET_MARK_H
#define ELECTD_NET_MARK_H

enum {
	NET_MARK_ATTRIBUTE = 11, /* IFA_PROTO, which older headers lack */
	NET_MARK_PROTO = 0x65,	 /* 'e' */
};

#define NET_MARK_LABEL "electd"

#endif
