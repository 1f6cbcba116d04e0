/* SPDX-License-Identifier: Apache-2.0 */
/* draw: what a reader sees of a run: a trace, a space–time diagram, a capture. */
#ifndef ELECTSIM_DRAW_DRAW_H
#define ELECTSIM_DRAW_DRAW_H

#include <stdio.h>

#include "electsim/world/sim.h"

/* trace.c */
void trace_line(struct sim *s, const struct sim_host *h, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void trace_event(struct sim *s, const struct sim_host *h, const struct elect_event *event);
void trace_datagram(struct sim *s, const struct sim_host *h, const struct sim_datagram *d,
	enum wire_verdict verdict);
void trace_actions(struct sim *s, const struct sim_host *h);
void trace_tail(const struct sim *s, FILE *f, unsigned lines);
const struct narrate *trace_narrate(struct sim *s);

static inline bool trace_on(const struct sim *s)
{
	return s->trace != SIM_TRACE_OFF;
}

/* svg.c: records during the run what svg_draw.c draws after it. */
struct svg *svg_new(uint64_t from_us, uint64_t to_us);
void svg_sent(struct sim *s, const struct sim_datagram *d, unsigned to, uint64_t arrives_us);
void svg_lost(struct sim *s, const struct sim_datagram *d, unsigned to);
void svg_state(struct sim *s, const struct sim_host *h);
int svg_write(const struct svg *svg, const struct sim *s, const char *path);
void svg_free(struct svg *svg);

/* pcap.c: a capture of all datagrams that hosts send. pcap_open() returns NULL and sets errno. */
FILE *pcap_open(const char *path);
void pcap_sent(FILE *f, const struct sim_datagram *d);
int pcap_close(FILE *f); /* -EIO: the file is incomplete */

#endif
