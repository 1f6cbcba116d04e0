/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyfile: the file with the keys of a domain: which one is trusted, what it says, and how its text
 * is changed.
 *
 * One key a line, `ID HEX64`; the first is the one that is sent, all are accepted. It trusts a file
 * only if nobody else could have read or written it, and never puts a byte of a key into its words.
 * Must not decide which keys a host may have now: that is the core's.
 */
#ifndef ELECTD_KEYFILE_KEYFILE_H
#define ELECTD_KEYFILE_KEYFILE_H

#include "core/trust/ring.h"

#include <sys/types.h>

enum {
	KEYFILE_SIZE_MAX = 16 * 1024, /* bytes; a longer one is refused */
	KEYFILE_WORDS_MAX = 1000,     /* of what is wrong; longer ones are cut */
};

/* Where systemd finds what LoadCredential= names without a path. */
#define KEYFILE_CREDSTORE  "/etc/credstore"
#define KEYFILE_CREDSTORES KEYFILE_CREDSTORE, "/run/credstore", "/usr/lib/credstore"

/* Whose file it is, and so which of its properties are its own. */
enum keyfile_kind {
	KEYFILE_OWN,	    /* at a path of the administrator's: the folders on the way count too */
	KEYFILE_CREDENTIAL, /* handed over by systemd in a folder of its own: group bits may be the
			       mask of an ACL and are not looked at, nor are folders */
	KEYFILE_SOURCE,	    /* what a credential was copied from: the file alone counts */
	KEYFILE_ENCRYPTED,  /* a credential's source that only systemd-creds can read: others may
			       read it, not change it. Its text is not looked at. */
	KEYFILE_ANY,	    /* to be compared only: nothing counts but the text */
};

/*
 * All keys of a text. 0, or -EINVAL with words: a line that is none, a number or a secret that
 * stands there twice, too many, none at all. `name` is what the words call it. `ret` is the
 * caller's guarded memory (program/guarded.h), and empty after a failure.
 */
int keyfile_parse(const char *name, const char *text, struct ring_file *ret, char *ret_words);

/*
 * The text of a file, which is one of keys. Refused: what is no regular file, belongs to somebody
 * else than root or `user`, who electd runs as, or lets group or others in (-EPERM), is in a folder
 * that others than root and who calls may change (-EPERM) or behind a link (-ELOOP), or says
 * something else (-EINVAL). 0 or -errno with words; keyfile_free() the text, which is in guarded
 * memory.
 */
int keyfile_read(
	const char *path, enum keyfile_kind kind, uid_t user, char **ret_text, char *ret_words);
/*
 * Moves a text of keys that came from elsewhere to guarded memory; `text` is wiped and freed in any
 * case. 0, or -errno with words, as keyfile_parse() has them; keyfile_free() the text.
 */
int keyfile_move(const char *name, char *text, char **ret_text, char *ret_words);
/* A text of this module. */
void keyfile_free(char *text);

/* KEYFILE_WORDS_MAX bytes of words. Returns `r`. */
int keyfile_say(char *ret_words, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The text with that key's line before those of all other keys; the rest stays. NULL: no memory. */
char *keyfile_first(const char *text, uint8_t id);
/* The text without that key's line. NULL: no memory. */
char *keyfile_without(const char *text, uint8_t id);

#endif
