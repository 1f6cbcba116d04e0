/* SPDX-License-Identifier: Apache-2.0 */
/* keys: what verbs that change keys share with those that show them. */
#ifndef ELECTCTL_VERBS_KEYS_H
#define ELECTCTL_VERBS_KEYS_H

#include "electctl/ask.h"
#include "electctl/keyplace.h"

enum { KEYS_LOOKS_A_SECOND = 5 };

/* Between two looks. */
void keys_pause(void);

/* What GetKeys answers, and who that electd is, which says where its key file must be. */
enum electctl_exit keys_ask(const struct options *o, json_t **ret_keys, struct ucred *ret_electd);

/* A key file as root has configured it. */
struct keys_file {
	struct keyplace place;
	char *text;  /* NULL: there is none, or not known; keyfile_free() it */
	bool unsure; /* root's configuration is not known, or electd names another file */
};

/*
 * For root: the key file of the electd that is asked. What is wrong with it is said, and that it is
 * gone from an electd with keys, or not known.
 */
enum electctl_exit keys_file(const struct options *o, struct keys_file *ret);

/*
 * A call that electd refuses while others are not ready for it: for a second, as what this host has
 * heard of them may be a beacon old, and beacons get lost. Takes over `parameters`. With a file: it
 * is sent to the process whose file that is, and to no other.
 */
enum electctl_exit keys_call(const struct options *o, const char *method, json_t *parameters,
	const struct keys_file *file, json_t **ret_answer);

/* The text as a parameter of a call; NULL: no memory. */
json_t *keys_parameter(const char *text);

/* 1 to 255, or 0 with a word on stderr. */
unsigned keys_number(const struct options *o, const char *text);

/* keys new, use, remove */
verb_fn keys_new, keys_use, keys_remove;
/* keys list, status */
verb_fn keys_list, keys_status;

#endif
