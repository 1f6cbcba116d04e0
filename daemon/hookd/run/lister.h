/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lister: finds the scripts that may run (vet.h) in a thread of its own, because a folder, or the
 * target of a link in it, may be on a disk or a server that hangs.
 */
#ifndef ELECTD_HOOKD_RUN_LISTER_H
#define ELECTD_HOOKD_RUN_LISTER_H

#include "hookd/script/vet.h"

#include <systemd/sd-event.h>

enum { LISTER_HANGING_MAX = 8 }; /* abandoned threads that still hang; then none begins */

struct lister;

/*
 * Called once, from the loop; the lister is freed afterwards. `error` and `folder` are those of
 * vet_open(). `list` belongs to the callee.
 */
typedef void lister_done_fn(void *user, int error, struct vet_list *list, const char *folder);

/*
 * Reads `folders`, which must stay valid. The list gets the scripts that it lacks from `older`
 * (vet_take_over()), which is copied; NULL: none. 0 or -errno; -EBUSY: too many threads hang.
 */
int lister_begin(struct lister **ret_lister, sd_event *event, const char *const *folders,
	const struct vet_list *older, lister_done_fn *done, void *user);
/* done() is not called; the thread ends when the disk answers. NULL is allowed. */
void lister_abandon(struct lister *l);

#endif
