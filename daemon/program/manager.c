/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manager: see manager.h. Writes to the manager's socket itself.
 */
#include "manager.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { TEXT_MAX = 2048 }; /* what is longer is cut */

/* A path, or "@name" for one without a file. Its size, 0: there is none. */
static socklen_t take_address(struct sockaddr_un *ret_address)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t size = path ? strlen(path) : 0;

	if (size < 2 || size >= sizeof(ret_address->sun_path) || (path[0] != '/' && path[0] != '@'))
		return 0;
	*ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(ret_address->sun_path, path, size);
	if (path[0] == '@')
		ret_address->sun_path[0] = '\0';
	else
		size++;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
}

/* Anew each time: a manager that was exchanged has another socket there. */
static void send_text(const char *text, size_t size)
{
	struct sockaddr_un address;
	socklen_t address_size = take_address(&address);
	int fd = address_size ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;

	if (fd < 0)
		return;
	if (!connect(fd, (const struct sockaddr *)&address, address_size))
		send(fd, text, size, MSG_NOSIGNAL); /* not taken: the next time */
	close(fd);
}

void manager_tell(const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (size > 0)
		send_text(text, strlen(text));
}
