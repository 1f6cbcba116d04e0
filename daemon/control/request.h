/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: the JSON of one request. All that it takes for one of root's, which may have keys in it,
 * is guarded memory. Knows no method.
 */
#ifndef ELECTD_CONTROL_REQUEST_H
#define ELECTD_CONTROL_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

/* The last request must be freed before. NULL: no JSON, or no memory. */
json_t *request_read(const char *text, size_t size, bool guarded);
/* NULL, too. No other reference to a part of it may be left. */
void request_free(json_t *request);

#endif
