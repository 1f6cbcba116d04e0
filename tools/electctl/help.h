/* SPDX-License-Identifier: Apache-2.0 */
/* help: the text of `electctl --help`, `electctl help` and `electctl VERB --help`. */
#ifndef ELECTCTL_HELP_H
#define ELECTCTL_HELP_H

#include <stdio.h>

#include "options.h"

/* Prints the usage and the help of `v`; NULL: all verbs by groups, and where to read more. */
void help_print(const struct verb *v, FILE *out);

#endif
