/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request: parses the JSON of one request. A request from root may contain keys: it is parsed in
 * guarded memory. The module does not know any method.
 */
#ifndef ELECTD_CONTROL_REQUEST_H
#define ELECTD_CONTROL_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

/* At most one request at a time: free the last one before. NULL: not JSON, or no memory. */
json_t *request_read(const char *text, size_t size, bool guarded);
/* NULL is allowed. No other reference to a part of the request may be left. */
void request_free(json_t *request);

#endif
