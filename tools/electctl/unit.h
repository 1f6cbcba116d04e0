/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit: asks the service manager about the unit of a process, drop-ins included: with which
 * configuration electd was started, and from where a credential is loaded. The process itself is
 * not asked, and none of the named files is read.
 */
#ifndef ELECTCTL_UNIT_H
#define ELECTCTL_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { UNIT_NAME_SIZE = 256, UNIT_PATH_SIZE = 4096 };

enum unit_kind {
	UNIT_NO_MANAGER, /* no service manager runs here */
	UNIT_OTHER,	 /* the process is in no unit that starts electd itself by ExecStart= */
	UNIT_ELECTD,
};

struct unit {
	enum unit_kind kind;
	char name[UNIT_NAME_SIZE];
	char config[UNIT_PATH_SIZE]; /* --config in ExecStart=; empty: electd's default */
};

/* The unit of a process. 0, or -errno: the manager did not answer. */
int unit_find(pid_t pid, struct unit *ret);
/* The same for the unit of that name; "": the process is in no service. */
int unit_look(const char *name, struct unit *ret);

/*
 * The source in LoadCredential= or LoadCredentialEncrypted= for that name: a path, or a name in
 * systemd's folders. 1; 0: there is no unit, or it does not load the credential; or -errno: the
 * manager did not answer.
 */
int unit_credential(
	const struct unit *u, const char *name, char *ret_from, size_t size, bool *ret_encrypted);

/* Reads the words of ExecStart=. False: none is electd. `ret_config` as in struct unit. */
bool unit_reads_config(char *const *words, char *ret_config, size_t size);

#endif
