/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential: from where the unit of a process loads a credential, as its manager has it, so that
 * drop-ins count. Reads nothing of the credential itself.
 */
#ifndef ELECTCTL_CREDENTIAL_H
#define ELECTCTL_CREDENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * What LoadCredential= or LoadCredentialEncrypted= has behind the name: a path, or a name in
 * systemd's folders. 1; 0: the process is in no unit, or in one that does not load it; or -errno:
 * the manager does not say.
 */
int credential_source(
	pid_t pid, const char *name, char *ret_from, size_t size, bool *ret_encrypted);

#endif
