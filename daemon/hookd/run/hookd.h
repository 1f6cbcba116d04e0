/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hookd: the engine of electd-hookd. It does the one step that the plan names (core/hookplan): it
 * starts a vetted script or systemctl, writes the phase, or answers electd. The plan alone decides
 * about the order. The engine must not wait in its loop.
 */
#ifndef ELECTD_HOOKD_RUN_HOOKD_H
#define ELECTD_HOOKD_RUN_HOOKD_H

#include <stdbool.h>

struct hookd_options {
	const char *runtime_dir;      /* electd's folder, with the socket io.electd */
	const char *state_dir;	      /* for state that must survive a restart */
	const char *own_runtime_dir;  /* for the file `leader` and the copy of the definition */
	const char *target, *online;  /* units; empty: none */
	const char *const *hook_dirs; /* NULL at the end; later folders override */
	bool owed;		      /* play the demotion that the disk owes, and exit */
};

/* Runs until a signal, or until the owed demotion is over. An exit status of electd-hookd(8). */
int hookd_run(const struct hookd_options *options);

#endif
