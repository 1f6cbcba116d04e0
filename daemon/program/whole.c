/* SPDX-License-Identifier: Apache-2.0 */
#include "whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int whole_read(int fd, size_t max, char **ret_text, size_t *ret_size)
{
	char *text = malloc(max + 1);
	size_t size = 0;
	ssize_t n;

	if (!text)
		return -ENOMEM;
	while ((n = read(fd, text + size, max + 1 - size)) > 0)
		size += (size_t)n;
	if (n < 0 || size > max) {
		int r = n < 0 ? -errno : -EFBIG;

		explicit_bzero(text, size);
		free(text);
		return r;
	}
	text[size] = '\0';
	*ret_text = text;
	*ret_size = size;
	return 0;
}
