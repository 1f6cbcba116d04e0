/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: collects facts from electd and this host, judges them, and prints the faults. */
#ifndef ELECTCTL_VERBS_DOCTOR_DOCTOR_H
#define ELECTCTL_VERBS_DOCTOR_DOCTOR_H

#include <jansson.h>

#include "electctl/electctl.h"

/* tell.c: prints the findings and what was not checked. Returns the exit code. */
enum electctl_exit doctor_tell(
	const struct options *o, const json_t *facts, json_t *findings, json_t *unlooked_list);

#endif
