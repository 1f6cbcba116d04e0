/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: the loop of electd-address. After each wake, all that waits is read first, and then the plan
 * decides.
 */
#ifndef ELECTD_ADDRESS_RUN_H
#define ELECTD_ADDRESS_RUN_H

struct run_options {
	const char *config;	 /* a file */
	const char *runtime_dir; /* of electd; NULL: that of `instance` */
	const char *instance;	 /* NAME of electd@NAME; NULL: of electd */
	const char *own_dir;	 /* for the note */
};

/* Returns the exit status. */
int run(const struct run_options *o);
/* 1: the configuration has no addresses; else 0. With a wrong one run() fails, which shows. */
int run_check(const struct run_options *o);

#endif
