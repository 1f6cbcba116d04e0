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

/*
 * For root: the key file of the electd that is asked, and its text, NULL: there is none;
 * keyfile_free() it. What is wrong with it is said, and that it is gone from an electd with keys.
 */
enum electctl_exit keys_file(const struct options *o, struct keyplace *ret_place, char **ret_text);

/*
 * A call that electd refuses while others are not ready for it: for a second, as what this host has
 * heard of them may be a beacon old, and beacons get lost. Takes over `parameters`.
 */
enum electctl_exit keys_call(
	const struct options *o, const char *method, json_t *parameters, json_t **ret_answer);

/* The text as a parameter of a call; NULL: no memory. */
json_t *keys_parameter(const char *text);

/* 1 to 255, or 0 with a word on stderr. */
unsigned keys_number(const struct options *o, const char *text);

/* keys new, use, remove */
verb_fn keys_new, keys_use, keys_remove;
/* keys list, status */
verb_fn keys_list, keys_status;

#endif
