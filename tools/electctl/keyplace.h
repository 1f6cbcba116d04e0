/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyplace: the key file of the electd that is asked, for root: finds it, reads it with all of
 * electd's checks, and replaces it. An encrypted credential is read and written by
 * systemd-creds(1).
 *
 * Only root's own configuration decides where the file is: the service manager and the files in
 * /etc. A compromised electd may name any path; keyplace opens nothing at such a path.
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
	char name[256]; /* name of the credential; empty: the file is no credential */
	bool encrypted;
	struct ucred electd; /* the process that may own its keys */
};

/*
 * Finds the file that auth.keys names in the configuration of the process `electd`. The
 * configuration is --config; else the one in its unit; else, if no service manager runs, the one of
 * --domain. auth.keys is a path, or the name of a credential, which is looked for where the unit
 * loads it from. `named` is the auth.keys that this electd reported.
 *
 * 0; -ENOENT: there is none; -EXDEV: electd names another one, or its configuration is not known;
 * -EEXIST: there are a plain and an encrypted file; or another -errno. ret_words explains the
 * error.
 */
int keyplace_find(const struct options *o, const char *named, const struct ucred *electd,
	struct keyplace *ret, char *ret_words);

/* The text of the file; the caller frees it with keyfile_free(). 0, or -errno with ret_words. */
int keyplace_read(const struct keyplace *p, char **ret_text, char *ret_words);

struct keyplace_change {
	bool remove;
	struct replacement file;
};

/*
 * Writes the new text to the disk next to the key file, with its owner and mode; NULL: the file
 * will be removed. 0, or -errno with ret_words.
 */
int keyplace_begin(
	const struct keyplace *p, const char *text, struct keyplace_change *ret, char *ret_words);
/* Moves the new file into place, durably. 0, or -errno with ret_words. */
int keyplace_end(const struct keyplace *p, struct keyplace_change *c, char *ret_words);
/* Discards the change; called instead of keyplace_end(). */
void keyplace_drop(struct keyplace_change *c);

#endif
