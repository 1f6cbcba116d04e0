/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: reads the configuration files and their drop-ins, and checks each value on its own. Used
 * only within conf; conf.c checks combinations of values and computes what is derived from them.
 */
#ifndef ELECTD_CONF_FILE_H
#define ELECTD_CONF_FILE_H

#include "value.h"

enum {
	CONF_KEYS_MAX = 64, /* keys in the table; asserted */
};

/* Where a key was set; line 0: in no file. */
struct conf_origin {
	unsigned line;
	char file[CONF_PATH_MAX + 1];
};

/* A configuration while it is read. */
struct conf_loading {
	struct conf conf;
	struct conf_error *error;
	const char *file; /* being read; for errors */
	bool any_file;
	bool guarded; /* a file that others may change is refused */
	struct conf_origin origin[CONF_KEYS_MAX];
};

const struct conf_origin *conf_file_origin(const struct conf_loading *l, const char *path);

/* Takes all settings of one text that ends with a NUL. Returns 0, or -EINVAL with the error set. */
int conf_file_text(struct conf_loading *l, const char *text, size_t size);
/*
 * Takes one file. Returns 0, or -errno with the error set. A missing file changes nothing if it may
 * be missing.
 */
int conf_file_take(struct conf_loading *l, const char *path, bool may_be_missing);
/* Takes the drop-ins of a file, in the order of their names. */
int conf_file_dropins(struct conf_loading *l, const char *file);
/* Reads the file that definition.file names, if it names one. */
int conf_file_definition(struct conf_loading *l);

#endif
