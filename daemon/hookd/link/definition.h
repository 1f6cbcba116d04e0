/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition: makes a copy of the file with the group's definition, for scripts. electd writes the
 * original and reports its path. A script that runs as root must not be sent to any other file, nor
 * find one that changes or blocks while it reads. The content is not checked.
 */
#ifndef ELECTD_HOOKD_LINK_DEFINITION_H
#define ELECTD_HOOKD_LINK_DEFINITION_H

#include <limits.h>
#include <stdbool.h>

#define DEFINITION_FILE_NAME "definition"

struct definition {
	const char *runtime_dir; /* electd's folder: it has the file, or its daemon/ does */
	const char *own_dir;	 /* has the copy; made if it is missing */
	bool told;		 /* a fault of the original was logged */
};

/*
 * Makes the copy equal to electd's file. `said`: its path as electd reports it; empty: there is no
 * definition. ret_path: the path of the copy; empty: there is none, and an old copy is removed.
 */
void definition_follow(struct definition *d, const char *said, char ret_path[PATH_MAX]);

#endif
