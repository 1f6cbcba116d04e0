/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELECTCTL_VERBS_STEPS_H
#define ELECTCTL_VERBS_STEPS_H

#include "electctl/electctl.h"

/* Asks electd for the steps of the last change of leader, and prints them. */
enum electctl_exit steps_show(const struct options *o);

#endif
