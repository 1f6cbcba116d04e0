/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hookd: the engine of electd-hookd. It does the one step the plan names (core/hookplan): starts a
 * vetted script or systemctl, writes the phase, answers electd. It must not decide about order:
 * that is the plan's, and must not wait in its loop.
 */
#ifndef ELECTD_HOOKD_RUN_HOOKD_H
#define ELECTD_HOOKD_RUN_HOOKD_H

#include <stdbool.h>

struct hookd_options {
	const char *runtime_dir;      /* of electd: where io.electd is */
	const char *state_dir;	      /* what must survive a restart */
	const char *own_runtime_dir;  /* the file `leader`, the definition */
	const char *target, *online;  /* units; empty: none */
	const char *const *hook_dirs; /* NULL at the end; later ones override */
	bool owed;		      /* play the demotion that the disk says is owed, and end */
};

/* Runs until it is told to stop; an exit status of electd-hookd(8). */
int hookd_run(const struct hookd_options *options);

#endif
