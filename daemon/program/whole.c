/* SPDX-License-Identifier: Apache-2.0 */
#include "whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int whole_read_into(int fd, size_t max, char *text, size_t *ret_size)
{
	size_t size = 0;
	ssize_t n;

	while ((n = read(fd, text + size, max + 1 - size)) > 0)
		size += (size_t)n;
	if (n < 0 || size > max) {
		int r = n < 0 ? -errno : -EFBIG;

		explicit_bzero(text, size);
		return r;
	}
	text[size] = '\0';
	*ret_size = size;
	return 0;
}

int whole_read(int fd, size_t max, char **ret_text, size_t *ret_size)
{
	char *text = malloc(max + 1);
	int r = text ? whole_read_into(fd, max, text, ret_size) : -ENOMEM;

	if (r)
		free(text);
	else
		*ret_text = text;
	return r;
}
