/* SPDX-License-Identifier: Apache-2.0 */
/* folders: played folders of hooks in place of hookd's vet; each test program includes it once. */
#ifndef ELECTD_TEST_ELECTCTL_FOLDERS_H
#define ELECTD_TEST_ELECTCTL_FOLDERS_H

#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "electctl/verbs/hooks/hooks.h"

static struct vet_script scripts[VET_SCRIPTS_MAX];
static struct vet_list found = { .scripts = scripts };
static int found_rc;
static char files[VET_SCRIPTS_MAX][32]; /* of found.scripts; empty: no file was made */

const char *const vet_folders[] = { "/folder", NULL };

int vet_open(const char *const *folders, struct vet_list *ret_list, const char **ret_folder)
{
	*ret_folder = folders[0];
	*ret_list = found;
	return found_rc;
}

void vet_close(struct vet_list *list)
{
	list->count = 0;
}

UNUSED static int nothing_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < found.count; i++) {
		if (found.scripts[i].fd >= 0)
			close(found.scripts[i].fd);
		if (*files[i])
			unlink(files[i]);
	}
	memset(files, 0, sizeof(files));
	memset(scripts, 0, sizeof(scripts));
	found = (struct vet_list){ .scripts = scripts };
	found_rc = 0;
	return 0;
}

UNUSED static struct vet_script *add(const char *name, const char *reason)
{
	struct vet_script *s = &found.scripts[found.count++];

	s->fd = -1;
	snprintf(s->name, sizeof s->name, "%s", name);
	snprintf(s->path, sizeof s->path, "/folder/%s", name);
	snprintf(s->reason, sizeof s->reason, "%s", reason);
	return s;
}

/* Adds a script that can be run. */
UNUSED static void add_script(const char *name, const char *text)
{
	char *path = files[found.count];
	int fd;

	strcpy(path, "/tmp/electctl-hook-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	add(name, "")->fd = open(path, O_PATH | O_CLOEXEC);
}

UNUSED static void add_three(void)
{
	add("10-vip", "")->fd = open("/", O_PATH | O_CLOEXEC);
	add("20-mail", "/folder/20-mail is writable by everybody");
	add("30-old", "")->masked = true;
}

#define RUN_HOOKS(name, words, replies_, calls, ...)                                               \
	struct run name = {                                                                        \
		.replies = (replies_), .replies_size = sizeof(replies_), .args = (words)           \
	};                                                                                         \
	run(&name, hooks_verb, (struct options){ __VA_ARGS__ }, calls)

#define TEST(f) cmocka_unit_test_teardown(f, nothing_found)

#endif
