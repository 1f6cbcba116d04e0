/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stoptime: finds the units bound to the leader target that may take longer to stop than a
 * hand-over waits for them (timing.yield_timeout_ms).
 */
#ifndef ELECTCTL_STOPTIME_H
#define ELECTCTL_STOPTIME_H

#include <jansson.h>
#include <stdint.h>

#include "options.h"

/*
 * [{"name", "stop": "1min 30s", "words"}]; `status` contains how long a hand-over waits. NULL:
 * systemctl did not answer or does not exist, or --socket was given, so the units are not known.
 */
json_t *stoptime_slow(const struct options *o, const json_t *status);

/* The same, from the output of `systemctl show -p Id,TimeoutStopUSec`. */
json_t *stoptime_read(const char *shown, int64_t yield_ms);
/* Milliseconds of a time span such as "1min 30s"; -1: not a time, INT64_MAX: "infinity". */
int64_t stoptime_ms(const char *span);

#endif
