/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifications that the manager's full queue does not take. Each test leaves the static state of
 * the module empty. The manager is a socket of this test.
 */
#include "program/manager.h"

#include "unit/full_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static int manager = -1;
static struct sockaddr_un address;
static socklen_t address_size;
static unsigned pending; /* the number of calls of on_pending() */

static void on_pending(void *user)
{
	assert_ptr_equal(user, &pending);
	pending++;
}

static int setup(void **state)
{
	char name[sizeof(address.sun_path) + 1];

	(void)state;
	address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	address_size = sizeof(sa_family_t); /* the kernel chooses an abstract name */
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (manager < 0 || bind(manager, (struct sockaddr *)&address, address_size) < 0)
		return -1;
	address_size = sizeof(address);
	if (getsockname(manager, (struct sockaddr *)&address, &address_size) < 0)
		return -1;
	snprintf(name, sizeof(name), "@%.*s", (int)(address_size - sizeof(sa_family_t) - 1),
		address.sun_path + 1);
	manager_when_pending(on_pending, &pending);
	pending = 0;
	return setenv("NOTIFY_SOCKET", name, 1);
}

/* Without a manager nothing is kept, so the next test begins with an empty queue. */
static int teardown(void **state)
{
	(void)state;
	unsetenv("NOTIFY_SOCKET");
	manager_send_again();
	return close(manager);
}

/* The next notification; "" if there is none. The caller closes *ret_fd (-1: none). */
static const char *take(int *ret_fd)
{
	static char text[4096];
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec vector = { text, sizeof(text) - 1 };
	struct msghdr message = { .msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	ssize_t size = recvmsg(manager, &message, MSG_CMSG_CLOEXEC);

	*ret_fd = -1;
	text[size > 0 ? size : 0] = '\0';
	if (size > 0 && CMSG_FIRSTHDR(&message))
		memcpy(ret_fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(*ret_fd));
	return text;
}

static const char *told(void)
{
	int fd;
	const char *text = take(&fd);

	assert_int_equal(fd, -1);
	return text;
}

static void empty(void)
{
	while (strcmp(told(), "") != 0)
		;
}

/* Empties the queue; the kept notifications must come at the next attempt. */
static void read_again(void)
{
	empty();
	pending = 0;
	manager_send_again();
	assert_int_equal(pending, 0);
}

static void a_taken_notification_is_not_sent_again(void **state)
{
	(void)state;
	manager_tell(MANAGER_STATUS, "STATUS=%d", 1);
	assert_string_equal(told(), "STATUS=1");
	manager_send_again();
	assert_string_equal(told(), "");
	assert_int_equal(pending, 0);
}

static void a_notification_is_pending_until_it_is_taken(void **state)
{
	(void)state;
	full_queue_fill(manager);
	manager_tell(MANAGER_READY, "READY=1");
	assert_int_equal(pending, 1);
	manager_send_again();
	assert_int_equal(pending, 2);
	read_again();
	assert_string_equal(told(), "READY=1");
	assert_string_equal(told(), "");
}

static void the_next_notification_sends_the_pending_ones_first(void **state)
{
	(void)state;
	full_queue_fill(manager);
	manager_tell(MANAGER_READY, "READY=1");
	empty();
	manager_tell(MANAGER_WATCHDOG, "WATCHDOG=1");
	assert_string_equal(told(), "READY=1");
	assert_string_equal(told(), "WATCHDOG=1");
	assert_string_equal(told(), "");
}

static void a_late_listener_learns_that_notifications_are_pending(void **state)
{
	(void)state;
	manager_when_pending(NULL, NULL);
	full_queue_fill(manager);
	manager_tell(MANAGER_READY, "READY=1");
	assert_int_equal(pending, 0);
	manager_when_pending(on_pending, &pending);
	assert_int_equal(pending, 1);
	read_again();
	assert_string_equal(told(), "READY=1");
}

static void only_the_last_status_is_sent(void **state)
{
	(void)state;
	full_queue_fill(manager);
	manager_tell(MANAGER_STATUS, "STATUS=old");
	manager_tell(MANAGER_STATUS, "STATUS=new");
	read_again();
	assert_string_equal(told(), "STATUS=new");
	assert_string_equal(told(), "");
}

static void a_ready_never_overtakes_its_reloading(void **state)
{
	(void)state;
	full_queue_fill(manager);
	manager_tell(MANAGER_RELOADING, "RELOADING=1");
	empty();
	manager_tell(MANAGER_READY, "READY=1"); /* the queue has space again, for both */
	assert_string_equal(told(), "RELOADING=1");
	assert_string_equal(told(), "READY=1");
	assert_string_equal(told(), "");
}

static void two_reloads_end_with_one_ready(void **state)
{
	(void)state;
	manager_tell(MANAGER_RELOADING, "RELOADING=1\nMONOTONIC_USEC=1");
	assert_string_equal(told(), "RELOADING=1\nMONOTONIC_USEC=1");
	full_queue_fill(manager);
	manager_tell(MANAGER_READY, "READY=1");
	manager_tell(MANAGER_RELOADING, "RELOADING=1\nMONOTONIC_USEC=2");
	manager_tell(MANAGER_READY, "READY=1");
	read_again();
	assert_string_equal(told(), "RELOADING=1\nMONOTONIC_USEC=2");
	assert_string_equal(told(), "READY=1");
	assert_string_equal(told(), "");
}

/* Otherwise the manager would see "ready" while the unit reloads. */
static void a_reload_that_begins_withdraws_a_pending_ready(void **state)
{
	(void)state;
	full_queue_fill(manager);
	manager_tell(MANAGER_READY, "READY=1");
	empty();
	manager_tell(MANAGER_RELOADING, "RELOADING=1");
	assert_string_equal(told(), "RELOADING=1");
	assert_string_equal(told(), "");
}

static void a_stop_withdraws_a_pending_reload(void **state)
{
	(void)state;
	full_queue_fill(manager);
	manager_tell(MANAGER_RELOADING, "RELOADING=1");
	manager_tell(MANAGER_READY, "READY=1");
	manager_tell(MANAGER_STOPPING, "STOPPING=1");
	manager_tell(MANAGER_STATUS, "STATUS=leaving");
	read_again();
	assert_string_equal(told(), "STOPPING=1");
	assert_string_equal(told(), "STATUS=leaving");
	assert_string_equal(told(), "");
}

static void a_withdrawn_notification_is_not_sent(void **state)
{
	(void)state;
	full_queue_fill(manager);
	manager_tell(MANAGER_EXTEND, "EXTEND_TIMEOUT_USEC=1");
	manager_withdraw(MANAGER_EXTEND);
	read_again();
	assert_string_equal(told(), "");
}

static void a_text_that_is_too_long_is_cut(void **state)
{
	char text[2 * MANAGER_TEXT_MAX];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	manager_tell(MANAGER_STATUS, "STATUS=%s", text);
	assert_int_equal(strlen(told()), MANAGER_TEXT_MAX - 1);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static void stored_is(const char *name, int end)
{
	char wanted[64], byte = 0;
	int fd;

	snprintf(wanted, sizeof(wanted), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", name);
	assert_string_equal(take(&fd), wanted);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(read(end, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	close(fd);
}

static void a_descriptor_is_kept_when_the_queue_has_space(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	full_queue_fill(manager);
	manager_keep("own", ends[1]);
	manager_keep("group", -1);
	read_again();
	assert_string_equal(told(), "FDSTOREREMOVE=1\nFDNAME=own");
	stored_is("own", ends[0]);
	assert_string_equal(told(), "FDSTOREREMOVE=1\nFDNAME=group");
	assert_string_equal(told(), "");
	close(ends[0]);
	close(ends[1]);
}

static void only_the_last_descriptor_of_a_name_is_kept(void **state)
{
	int old[2], ends[2];

	(void)state;
	assert_int_equal(pipe(old), 0);
	assert_int_equal(pipe(ends), 0);
	full_queue_fill(manager);
	manager_keep("own", old[1]);
	manager_keep("own", ends[1]);
	read_again();
	assert_string_equal(told(), "FDSTOREREMOVE=1\nFDNAME=own");
	stored_is("own", ends[0]);
	assert_string_equal(told(), "");
	for (unsigned i = 0; i < 2; i++) {
		close(old[i]);
		close(ends[i]);
	}
}

static void a_descriptor_that_was_closed_meanwhile_is_not_sent(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	full_queue_fill(manager);
	manager_keep("own", ends[1]);
	close(ends[1]);
	read_again();
	assert_string_equal(told(), "FDSTOREREMOVE=1\nFDNAME=own");
	assert_string_equal(told(), "");
	close(ends[0]);
}

static void a_reused_descriptor_number_is_not_sent(void **state)
{
	int ends[2], others[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(others), 0);
	full_queue_fill(manager);
	manager_keep("own", ends[1]);
	assert_int_equal(dup2(others[1], ends[1]), ends[1]);
	read_again();
	assert_string_equal(told(), "FDSTOREREMOVE=1\nFDNAME=own");
	assert_string_equal(told(), "");
	for (unsigned i = 0; i < 2; i++) {
		close(ends[i]);
		close(others[i]);
	}
}

/* ---- no manager ------------------------------------------------------------------------------ */

static void nothing_is_kept_without_a_manager(void **state)
{
	static const char *const nowhere[] = { "/nonexistent/notify", "@electd-nobody", "relative",
		"@", "" };
	char name[sizeof(address.sun_path) + 1];

	(void)state;
	snprintf(name, sizeof(name), "%s", getenv("NOTIFY_SOCKET"));
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		setenv("NOTIFY_SOCKET", nowhere[i], 1);
		manager_tell(MANAGER_READY, "READY=1");
		assert_int_equal(pending, 0);
	}
	setenv("NOTIFY_SOCKET", name, 1);
	manager_send_again();
	assert_string_equal(told(), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_taken_notification_is_not_sent_again),
		TEST(a_notification_is_pending_until_it_is_taken),
		TEST(the_next_notification_sends_the_pending_ones_first),
		TEST(a_late_listener_learns_that_notifications_are_pending),
		TEST(only_the_last_status_is_sent),
		TEST(a_ready_never_overtakes_its_reloading),
		TEST(two_reloads_end_with_one_ready),
		TEST(a_reload_that_begins_withdraws_a_pending_ready),
		TEST(a_stop_withdraws_a_pending_reload),
		TEST(a_withdrawn_notification_is_not_sent),
		TEST(a_text_that_is_too_long_is_cut),
		TEST(a_descriptor_is_kept_when_the_queue_has_space),
		TEST(only_the_last_descriptor_of_a_name_is_kept),
		TEST(a_descriptor_that_was_closed_meanwhile_is_not_sent),
		TEST(a_reused_descriptor_number_is_not_sent),
		TEST(nothing_is_kept_without_a_manager),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
