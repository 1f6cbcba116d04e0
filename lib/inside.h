/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: a function of the library for the programs of this source only. libelectd.so does not
 * export it (libelectd.map).
 */
#ifndef ELECTD_LIB_INSIDE_H
#define ELECTD_LIB_INSIDE_H

#include "lib/electd.h"

#include <jansson.h>

/*
 * Reports the addresses of this host, an array of `Address` of electd-varlink(7), as a holder of
 * rank ADDRESS. Takes the reference. Never blocks: electd_process() sends it. A newer list replaces
 * one that has not been sent. electd forgets the list when the connection ends, and a list that
 * waits is then void: report all addresses again after each ELECTD_SNAPSHOT.
 *
 * 0; -ENOTCONN: electd has not answered on this connection; -ENOMEM: no memory, or no array.
 */
int lib_report_addresses(electd *e, json_t *addresses);

#endif
