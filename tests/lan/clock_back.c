/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_back: a preloaded library that sets all clocks of a process back, for snapshots.py: by the
 * nanoseconds that the file $CLOCK_BACK holds, as a 64-bit number, from each moment on.
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *back_ns;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CLOCK_BACK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *at = mmap(NULL, sizeof(*back_ns), PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		abort();
	close(fd);
	back_ns = at;
}

static struct timespec shifted(const struct timespec *t, int64_t by_ns)
{
	int64_t ns = t->tv_sec * INT64_C(1000000000) + t->tv_nsec + by_ns;

	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, clock, ret);

	if (r == 0 && back_ns)
		*ret = shifted(ret, -*back_ns);
	return r;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *ret_old)
{
	struct itimerspec at = *new;

	if (flags & TFD_TIMER_ABSTIME && (at.it_value.tv_sec || at.it_value.tv_nsec))
		at.it_value = shifted(&at.it_value, *back_ns);
	return (int)syscall(SYS_timerfd_settime, fd, flags, &at, ret_old);
}
