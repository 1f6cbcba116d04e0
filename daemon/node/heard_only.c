/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heard_only: composes the words about hosts that are heard by a family that this host does not
 * use. They may be in a group of their own, and neither side can know more of the other.
 */
#include "inside.h"

#include "core/line.h"
#include "program/clock.h"

void node_overhear(
	struct node *n, const struct elect_address *from, const uint8_t *bytes, size_t size)
{
	uint64_t now_us = clock_boot_us();
	const struct elect_msg *m =
		n->running ? host_overhear(n->host, now_us, from, bytes, size) : NULL;

	if (m)
		overheard_take(&n->overheard, now_us, from->family, m);
}

static void put_words(struct node *n, const struct overheard_host *host)
{
	char *words = n->overheard_words[n->overheard_count++];
	struct line line = line_begin(words, sizeof(n->overheard_words[0]));
	const char *name = host->name[0] ? host->name : node_name_of(n, &host->id);

	line_add(&line, "%s is heard by %s only, which this host does not use",
		name ? name : node_names_text(n->names, &host->id),
		host->family == 6 ? "IPv6" : "IPv4");
}

void node_overheard(struct node *n)
{
	uint64_t now_us = clock_boot_us();

	n->overheard_count = 0;
	for (unsigned i = 0; i < n->overheard.count; i++) {
		const struct overheard_host *host = &n->overheard.hosts[i];

		if (overheard_only(host, now_us, heard_last_us(n->doctor.heard, &host->id)))
			put_words(n, host);
	}
}
