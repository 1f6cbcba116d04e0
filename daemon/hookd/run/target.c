/* SPDX-License-Identifier: Apache-2.0 */
/* target: the units that follow leadership. See target.h. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

static const char *find_systemctl(void)
{
	static const char *const paths[] = { "/usr/bin/systemctl", "/bin/systemctl" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!access(paths[i], X_OK))
			return paths[i];
	return NULL;
}

int target_open(struct target *t, const char *dir, const char *leader, const char *online)
{
	*t = (struct target){ .systemctl = sd_booted() > 0 ? find_systemctl() : NULL };
	if (!t->systemctl)
		return 0;
	t->leader = *leader ? leader : NULL;
	t->online = *online ? online : NULL;
	if (!t->leader)
		return 0;
	if (snprintf(t->file, sizeof(t->file), "%s/leader", dir) >= (int)sizeof(t->file))
		return -ENAMETOOLONG;
	t->dir = dir;
	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		return -errno;
	return target_forbid(t);
}

int target_allow(const struct target *t)
{
	int fd;

	if (mkdir(t->dir, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(t->file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int target_forbid(const struct target *t)
{
	return unlink(t->file) < 0 && errno != ENOENT ? -errno : 0;
}

static unsigned first_words(const struct target *t, const char **ret_words)
{
	ret_words[0] = t->systemctl;
	ret_words[1] = "--no-ask-password";
	return 2;
}

void target_words(const struct target *t, const char *unit, bool start, bool wait,
	const char *ret_words[TARGET_WORDS_MAX])
{
	unsigned n = first_words(t, ret_words);

	if (!wait)
		ret_words[n++] = "--no-block";
	/*
	 * The target is bound to electd-hookd's own unit, so a start of the target also starts that
	 * unit. While electd-hookd is being stopped, that start would replace the stop: electd
	 * would wait no longer, and electd-hookd would be started again.
	 */
	if (start)
		ret_words[n++] = "--job-mode=fail";
	ret_words[n++] = start ? "start" : "stop";
	ret_words[n++] = unit;
	ret_words[n] = NULL;
}

unsigned target_show_words(const struct target *t, bool value, const char *properties,
	const char *ret_words[TARGET_SHOW_WORDS])
{
	unsigned n = first_words(t, ret_words);

	ret_words[n++] = "show";
	if (value)
		ret_words[n++] = "--value";
	ret_words[n++] = "-p";
	ret_words[n++] = properties;
	ret_words[n++] = "--";
	return n;
}
