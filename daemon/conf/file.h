/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: configuration files and their drop-ins → values that one by one are allowed. Inside
 * of conf; what values say together, and what is computed from them, is conf.c's.
 */
#ifndef ELECTD_CONF_FILE_H
#define ELECTD_CONF_FILE_H

#include "value.h"

enum {
	CONF_KEYS_MAX = 64, /* keys in the table; asserted */
};

/* Where a key stands; line 0: in no file. */
struct conf_origin {
	unsigned line;
	char file[CONF_PATH_MAX + 1];
};

/* What is being put together. */
struct conf_loading {
	struct conf conf;
	struct conf_error *error;
	const char *file; /* being read, for errors */
	bool any_file;
	bool guarded; /* a file that others may change is refused */
	struct conf_origin origin[CONF_KEYS_MAX];
};

const struct conf_origin *conf_file_origin(const struct conf_loading *l, const char *path);

/* All settings of one text that ends with a NUL. 0 or -EINVAL with the error set. */
int conf_file_text(struct conf_loading *l, const char *text, size_t size);
/* One file. 0 or -errno with the error set; one that may be missing and is, changes nothing. */
int conf_file_take(struct conf_loading *l, const char *path, bool may_be_missing);
/* The drop-ins of a file, in the order of their names. */
int conf_file_dropins(struct conf_loading *l, const char *file);
/* What definition.file names, if it names a file. */
int conf_file_definition(struct conf_loading *l);

#endif
