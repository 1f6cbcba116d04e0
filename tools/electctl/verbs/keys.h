/* SPDX-License-Identifier: Apache-2.0 */
/* keys: functions shared by the verbs that change keys and those that show them. */
#ifndef ELECTCTL_VERBS_KEYS_H
#define ELECTCTL_VERBS_KEYS_H

#include "electctl/ask.h"
#include "electctl/keyplace.h"

enum { KEYS_LOOKS_A_SECOND = 5 };

/* Sleeps between two looks. */
void keys_pause(void);

/* The answer of GetKeys, and the process that gave it, which determines where its key file is. */
enum electctl_exit keys_ask(const struct options *o, json_t **ret_keys, struct ucred *ret_electd);

/* A key file that root's configuration names. */
struct keys_file {
	struct keyplace place;
	char *text;  /* NULL: there is none, or it is not known; keyfile_free() it */
	bool unsure; /* root's configuration is not known, or electd names another file */
};

/*
 * For root: finds and reads the key file of the electd that is asked. Prints an error of the file,
 * and a warning if an electd with keys has no file, or if the file is not known.
 */
enum electctl_exit keys_file(const struct options *o, struct keys_file *ret);

/*
 * Sends a call that electd refuses while other hosts are not ready for it. The call is repeated for
 * a second, because this host's knowledge of the others may be a beacon old, and beacons get lost.
 * Takes over `parameters`. With a file, the call is sent only to the process to which the file
 * belongs.
 */
enum electctl_exit keys_call(const struct options *o, const char *method, json_t *parameters,
	const struct keys_file *file, json_t **ret_answer);

/* The text as a parameter of a call; NULL: no memory. */
json_t *keys_parameter(const char *text);

/* 1 to 255, or 0 after a message on stderr. */
unsigned keys_number(const struct options *o, const char *text);

/* keys new, use, remove */
verb_fn keys_new, keys_use, keys_remove;
/* keys list, status */
verb_fn keys_list, keys_status;

#endif
