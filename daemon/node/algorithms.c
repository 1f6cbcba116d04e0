/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algorithms: what people are told of hosts that run another algorithm: words. The core decides
 * who is one, and what comes of it.
 */
#include "address.h"
#include "core/line.h"
#include "inside.h"

#include "program/clock.h"

/* Its name stands in what is not read: who was never heard otherwise is where its answer came from.
 */
static void put_host(struct node *n, struct line *t, const struct elect_id *id)
{
	const struct elect_way *way = host_way(n->host, clock_boot_us(), id);
	const char *name = node_name_of(n, id);
	char at[INET6_ADDRSTRLEN];

	if (name || !way)
		line_add(t, "%s", name ? name : node_names_text(n->names, id));
	else
		line_add(t, "%s (id %s)", address_text(&way->address, at),
			node_names_text(n->names, id));
}

static void put(struct node *n, const struct elect_other_algorithm *o, char words[NODE_WORDS_MAX])
{
	bool stronger = o->number < elect_config(host_elect(n->host))->algorithm;
	struct line t = line_begin(words, NODE_WORDS_MAX);

	put_host(n, &t, &o->id);
	line_add(&t, " runs another algorithm, %s: this host %s", elect_algorithm_name(o->number),
		stronger ? "does not lead meanwhile" : "goes on");
}

void node_name_algorithms(struct node *n)
{
	const struct elect *e = host_elect(n->host);
	const struct elect_other_algorithm *strongest = NULL;

	n->algorithms_problem = NULL;
	for (unsigned i = 0; i < elect_other_algorithms_count(e); i++) {
		const struct elect_other_algorithm *o = elect_other_algorithm_at(e, i);

		put(n, o, n->algorithms_words[i]);
		if (strongest && strongest->number <= o->number)
			continue;
		strongest = o;
		n->algorithms_problem = n->algorithms_words[i];
	}
}

void node_tell_algorithms(struct node *n, const struct elect_view *view)
{
	uint32_t bit = ELECT_PROBLEM_ALGORITHM_DIFFERS;

	if (!(view->problems & bit) || n->view.problems & bit)
		return;
	node_name_algorithms(n);
	if (n->algorithms_problem)
		log_warning("node", "%s", n->algorithms_problem);
}
