/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyfile: the file with the keys of a domain: reads and checks it, and changes the order of its
 * text.
 *
 * Each line is one key, `ID HEX64`; the first key is sent, all are accepted. A file is trusted only
 * if nobody else could have read or written it. No byte of a key is ever put into a message. This
 * module must not decide which keys a host may have now: that is the core's task.
 */
#ifndef ELECTD_KEYFILE_KEYFILE_H
#define ELECTD_KEYFILE_KEYFILE_H

#include "core/trust/ring.h"

#include <sys/types.h>

enum {
	KEYFILE_SIZE_MAX = 16 * 1024, /* bytes; a longer one is refused */
	KEYFILE_WORDS_MAX = 1000,     /* bytes of an error message; longer ones are cut */
};

/* Folders where systemd finds a credential that LoadCredential= names without a path. */
#define KEYFILE_CREDSTORE  "/etc/credstore"
#define KEYFILE_CREDSTORES KEYFILE_CREDSTORE, "/run/credstore", "/usr/lib/credstore"

/* The origin of a file, which decides which of its properties are checked. */
enum keyfile_kind {
	KEYFILE_OWN,	    /* at a path of the administrator: its folders are checked, too */
	KEYFILE_CREDENTIAL, /* handed over by systemd in a folder of its own: neither folders nor
			       group bits, which may be the mask of an ACL, are checked */
	KEYFILE_SOURCE,	    /* what a credential was copied from: only the file is checked */
	KEYFILE_ENCRYPTED,  /* a credential's source that only systemd-creds can decrypt: others
			       may read it, not change it. Its text is not checked. */
	KEYFILE_ANY,	    /* only compared with another: nothing but the text is checked */
};

/*
 * Parses all keys of a text. Returns 0, or -EINVAL with a message: a line that is no key, a number
 * or a secret that occurs twice, too many keys, no key at all. The message calls the text `name`.
 * `ret` is the caller's guarded memory (program/guarded.h), and empty after a failure.
 */
int keyfile_parse(const char *name, const char *text, struct ring_file *ret, char *ret_words);

/*
 * Reads the text of a key file. Refused are: a file that is not regular (-EINVAL); one that belongs
 * to a user other than root or `user`, as which electd runs, or gives access to group or others
 * (-EPERM); one in a folder that a user other than root and the caller may change (-EPERM) or
 * behind a link (-ELOOP); and a text that is no key file (-EINVAL). Returns 0, or -errno with a
 * message. The text is in guarded memory, to be freed by keyfile_free().
 */
int keyfile_read(
	const char *path, enum keyfile_kind kind, uid_t user, char **ret_text, char *ret_words);
/*
 * Moves a text of keys that came from elsewhere into guarded memory, and wipes and frees `text` in
 * any case. Returns 0, or -errno with a message, as keyfile_parse() does. The new text is to be
 * freed by keyfile_free().
 */
int keyfile_move(const char *name, char *text, char **ret_text, char *ret_words);
/* Frees a text of this module. */
void keyfile_free(char *text);

/* Writes a message of at most KEYFILE_WORDS_MAX bytes. Returns `r`. */
int keyfile_say(char *ret_words, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The text with the line of that key before those of all other keys. NULL: no memory. */
char *keyfile_first(const char *text, uint8_t id);
/* The text without the line of that key. NULL: no memory. */
char *keyfile_without(const char *text, uint8_t id);

#endif
