/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aside: takes no part while the state folder is unusable. A promotion could not be recorded, so
 * this program does not subscribe and promotes nothing; a demotion that is owed is played all the
 * same. The folder is tried again every 2 s. systemd, electd and the journal get the reason.
 *
 * The program must not end, because systemd would start it again ten times a second.
 */
#include "inside.h"

#include "hookd/loop/timer.h"
#include "program/clock.h"
#include "program/manager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char method[] = "io.electd.HookdMissing";

bool hookd_aside_may_tell(struct hookd *h)
{
	uint64_t now_us = clock_boot_us();

	if (h->complained_us && now_us - h->complained_us < HOOKD_ASIDE_TOLD_US)
		return false;
	h->complained_us = now_us;
	return true;
}

static void set_words(struct hookd *h, int error)
{
	const char *dir = h->options->state_dir;

	if (error == -EBADMSG)
		snprintf(h->aside.words, sizeof(h->aside.words), "the phase in %s is damaged", dir);
	else if (error == -ESTALE)
		snprintf(h->aside.words, sizeof(h->aside.words),
			"the phase in %s, which was not there before, owes a demotion", dir);
	else
		snprintf(h->aside.words, sizeof(h->aside.words), "cannot use the phase in %s: %s",
			dir,
			error == -EAGAIN ? "another electd-hookd has it"
					 : hookd_record_trouble(-error));
}

/* ---- reports ----------------------------------------------------------------------------- */

static void on_told(void *user, int error, const char *name)
{
	struct hookd *h = user;

	(void)error;
	(void)name;
	h->aside.call = NULL;
}

static void tell_journal(struct hookd *h)
{
	if (hookd_aside_may_tell(h))
		log_warning("hookd", "%s: takes no part until it can be used", h->aside.words);
}

static json_t *parameters(const char *words)
{
	return json_pack("{s:s}", "words", words);
}

/* Repeated: electd may have been restarted, and the manager may have lost a message. */
static void tell(struct hookd *h)
{
	manager_tell(MANAGER_STATUS, "STATUS=takes no part: %s", h->aside.words);
	tell_journal(h);
	hookd_call_cancel(h->aside.call);
	h->aside.call = NULL;
	hookd_call_start(&h->aside.call, h->event, h->socket, method, parameters(h->aside.words),
		HOOKD_ANSWER_US, on_told, h);
}

/* ---- the state folder -------------------------------------------------------------------- */

void hookd_aside_found(struct hookd *h, int error)
{
	set_words(h, error);
	tell_journal(h);
}

/* Makes the first attempt at once, which only replaces a damaged record. */
void hookd_aside_begin(struct hookd *h)
{
	h->aside.on = true;
	manager_tell(MANAGER_STATUS, "STATUS=takes no part: %s", h->aside.words);
	hookplan_unwritten(&h->plan);
	hookplan_retry(&h->plan);
	timer_in(h->aside.again, HOOKD_ASIDE_US);
}

int hookd_aside_on_again(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;

	(void)at_us;
	tell(h);
	timer_in(source, HOOKD_ASIDE_US);
	hookplan_retry(&h->plan);
	hookd_pump(h);
	return 0;
}

void hookd_aside_failed(struct hookd *h, int error)
{
	static const struct hookplan_phase owed = { HOOKPLAN_STARTED, 0 };

	set_words(h, error);
	if (error != -ESTALE)
		return;
	hookd_begin_with(h, &owed);
	hookd_pump(h);
}

void hookd_aside_over(struct hookd *h)
{
	if (!h->aside.on || h->stopping)
		return;
	h->aside.on = false;
	timer_off(h->aside.again);
	hookd_call_cancel(h->aside.call);
	h->aside.call = NULL;
	manager_tell(MANAGER_STATUS, "STATUS=waiting for electd");
	log_notice("hookd", "the phase in %s is written: takes part", h->options->state_dir);
	link_begin(h->link);
}

/* ---- without a loop ---------------------------------------------------------------------- */

bool hookd_aside_wait(struct hookd *h)
{
	const struct timespec pause = { .tv_sec = HOOKD_ASIDE_US / 1000000 };
	sigset_t ends;

	if (!h->aside.on)
		manager_tell(MANAGER_READY, "READY=1");
	h->aside.on = true;
	set_words(h, -EAGAIN);
	manager_tell(MANAGER_WATCHDOG, "WATCHDOG=1");
	manager_tell(MANAGER_STATUS, "STATUS=takes no part: %s", h->aside.words);
	tell_journal(h);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	return sigtimedwait(&ends, NULL, &pause) < 0;
}

static void on_ended_told(void *user, int error, const char *name)
{
	(void)error;
	(void)name;
	sd_event_exit(user, 0);
}

void hookd_aside_tell_ended(const char *runtime_dir)
{
	const char *result = getenv("SERVICE_RESULT"), *status = getenv("EXIT_STATUS");
	char words[HOOKD_WORDS_MAX + 1], socket[PATH_MAX];
	struct hookd_call *call = NULL;
	sd_event *event = NULL;

	if (!result || !status || !strcmp(result, "success") || sd_event_new(&event) < 0)
		return;
	snprintf(socket, sizeof(socket), "%s/io.electd", runtime_dir);
	snprintf(words, sizeof(words), "it has ended: %s, %s", result, status);
	if (!hookd_call_start(&call, event, socket, method, parameters(words), HOOKD_ANSWER_US,
		    on_ended_told, event))
		sd_event_loop(event);
	sd_event_unref(event);
}
