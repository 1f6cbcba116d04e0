/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor: asks electd and this host, judges, and says what is wrong in words.
 */
#ifndef ELECTCTL_VERBS_DOCTOR_DOCTOR_H
#define ELECTCTL_VERBS_DOCTOR_DOCTOR_H

#include <jansson.h>

#include "electctl/electctl.h"

/* tell.c: findings and what was not looked at; the exit code. */
enum electctl_exit doctor_tell(
	const struct options *o, const json_t *facts, json_t *findings, json_t *unlooked_list);

#endif
