/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node: runs one host (core/host.h) on libevent: events in, actions out, one timer.
 *
 * The only caller of the core in the daemon; the simulator is its twin. It takes no decision of
 * the election: a rule that both need belongs into the core. Net, store, ctl and service are
 * known here and do not know each other.
 */
#ifndef ELECTD_NODE_NODE_H
#define ELECTD_NODE_NODE_H

#include "conf/conf.h"

struct node_options {
	const char *config_path; /* read again at SIGHUP; NULL: the default */
	const char *state_dir, *runtime_dir;
	const char *version;
};

/*
 * Runs until it is told to leave. `conf` with its id set; `keys` as conf_load_keys() left them,
 * whose memory the caller has locked and wipes: a reload puts others there. Returns the exit status
 * of electd(8), the reason is logged.
 */
int node_run(const struct node_options *options, const struct conf *conf, struct ring_file *keys);

#endif
