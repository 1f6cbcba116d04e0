/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refused: runs a part of a test in a child whose system calls are filtered by seccomp, as an older
 * kernel or the filter of a container does. A process cannot remove such a filter, so the test
 * program itself has none. Each test program includes it once.
 */
#ifndef ELECTD_TEST_REFUSED_H
#define ELECTD_TEST_REFUSED_H

#include "dir.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* System call `call` fails with `error`: always (`flag` 0), or if `flag` is set in its second
 * argument (`unset`: if it is clear). */
struct refused {
	long call; /* 0: the end of a list */
	int error;
	uint32_t flag;
	bool unset;
};

static const struct refused *refused_calls;
static int (*refused_part)(void);

static inline bool refused_load(const struct refused *r)
{
	uint16_t look = r->flag ? BPF_JMP | BPF_JSET | BPF_K : BPF_JMP | BPF_JA;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		{ look, r->unset, !r->unset, r->flag }, /* JA continues at the next line */
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)r->error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int refused_run(void)
{
	for (const struct refused *r = refused_calls; r->call; r++)
		if (!refused_load(r))
			return CHILD_CANNOT;
	return refused_part();
}

/* Returns the result of in_child() for `part`, with `calls` refused. */
static inline int behind(const struct refused *calls, int (*part)(void))
{
	refused_calls = calls;
	refused_part = part;
	return in_child(refused_run);
}

#define ASSERT_BEHIND(calls, part)                                                                 \
	do {                                                                                       \
		int behind_said = behind(calls, part);                                             \
		if (behind_said == CHILD_CANNOT) {                                                 \
			print_message("this machine lacks the calls or lets us refuse none\n");    \
			skip();                                                                    \
		}                                                                                  \
		assert_int_equal(behind_said, CHILD_OK);                                           \
	} while (0)

#endif
