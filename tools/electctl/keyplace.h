/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyplace: the key file of the electd that is asked, for root: where it is, how it is read with
 * all of electd's checks, and how another one takes its place. An encrypted credential is read and
 * written by systemd-creds(1). Where it is, root's own configuration alone decides: the service
 * manager and the files in /etc. An electd that somebody has taken over may name any path: nothing
 * at such a path is opened.
 */
#ifndef ELECTCTL_KEYPLACE_H
#define ELECTCTL_KEYPLACE_H

#include "keyfile/keyfile.h"
#include "options.h"
#include "replace.h"

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

struct keyplace {
	char path[REPLACE_PATH];
	char name[256]; /* of a credential; empty: it is none */
	bool encrypted;
	struct ucred electd; /* the process that may have its keys */
};

/*
 * The file of auth.keys in the configuration of the process `electd`: --config; else what its unit
 * says; else, where no service manager runs, the one of that --domain. A path, or the name of a
 * credential, which is looked for where the unit has it from. `named` is what that electd says.
 * 0, -ENOENT: there is none, -EXDEV: that electd names another one, or its configuration is not
 * known, -EEXIST: a plain one and an encrypted one, or another -errno; with words.
 */
int keyplace_find(const struct options *o, const char *named, const struct ucred *electd,
	struct keyplace *ret, char *ret_words);

/* Its text; keyfile_free() it. 0 or -errno with words. */
int keyplace_read(const struct keyplace *p, char **ret_text, char *ret_words);

struct keyplace_change {
	bool remove;
	struct replacement file;
};

/*
 * Another text, whole, on the disk beside it, with its owner and mode; NULL: the file is to go. 0
 * or -errno with words.
 */
int keyplace_begin(
	const struct keyplace *p, const char *text, struct keyplace_change *ret, char *ret_words);
/* In its place, and that on the disk. 0 or -errno with words. */
int keyplace_end(const struct keyplace *p, struct keyplace_change *c, char *ret_words);
/* Instead of that. */
void keyplace_drop(struct keyplace_change *c);

#endif
