/* SPDX-License-Identifier: Apache-2.0 */
#include "waiter.h"

#include "program/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

int waiter_open(struct waiter *w)
{
	static const int all[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT };
	sigset_t ours;

	sigemptyset(&ours);
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		sigaddset(&ours, all[i]);
	w->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	w->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (w->signals < 0 || w->timer < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &ours, &w->mask);
	return 0;
}

int waiter_signal(const struct waiter *w)
{
	struct signalfd_siginfo info;

	return read(w->signals, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo
									    : 0;
}

int64_t waiter_earlier(int64_t a_ms, int64_t b_ms)
{
	return a_ms < 0 || (b_ms >= 0 && b_ms < a_ms) ? b_ms : a_ms;
}

int64_t waiter_after(int timeout_ms)
{
	return timeout_ms < 0 ? -1 : clock_boot_ms() + timeout_ms;
}

void waiter_wait(const struct waiter *w, int64_t at_ms, const int fds[WAITER_FDS])
{
	struct itimerspec t = { 0 };
	struct pollfd input[2 + WAITER_FDS] = {
		{ .fd = w->signals, .events = POLLIN },
		{ .fd = w->timer, .events = POLLIN },
	};

	for (unsigned i = 0; i < WAITER_FDS; i++)
		input[2 + i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };

	if (at_ms >= 0) {
		t.it_value.tv_sec = at_ms / 1000;
		t.it_value.tv_nsec = at_ms % 1000 * 1000000 + 1; /* 0 would disarm it */
	}
	/* This also clears an expiration of the previous time. */
	timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &t, NULL);
	poll(input, 2 + WAITER_FDS, -1);
}

void waiter_close(struct waiter *w)
{
	close(w->signals);
	close(w->timer);
	sigprocmask(SIG_SETMASK, &w->mask, NULL);
}
