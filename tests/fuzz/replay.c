/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay: main() of a fuzz program in an ordinary build. Feeds each file named on the command line,
 * or found in a folder named there, once to LLVMFuzzerTestOneInput(). Arguments that begin with '-'
 * are libFuzzer's options and are ignored. A failure shows as an assert or a sanitizer's report.
 * Without any input the program fails, because it would have tested nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { REPLAY_SIZE_MAX = 1 << 20 }; /* larger inputs are cut off there */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The copy has the exact size, so that a read past its end is seen. Returns 0 or -errno. */
static int replay_bytes(const uint8_t *bytes, size_t size)
{
	uint8_t *exact = malloc(size > 0 ? size : 1);

	if (!exact)
		return -ENOMEM;
	memcpy(exact, bytes, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

/* Returns 0 or -errno. */
static int replay_file(const char *path)
{
	static uint8_t buffer[REPLAY_SIZE_MAX];
	FILE *file = fopen(path, "re");
	size_t size;
	int r;

	if (!file)
		return -errno;
	size = fread(buffer, 1, sizeof(buffer), file);
	r = ferror(file) ? -EIO : replay_bytes(buffer, size);
	fclose(file);
	if (r < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(-r));
	return r;
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Returns how many files were fed, or -errno. */
static int replay_folder(const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, not_hidden, alphasort), r = 0;

	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (r == 0)
			r = replay_file(path);
		free(entries[i]);
	}
	free(entries);
	return r < 0 ? r : count;
}

static int replay_argument(const char *path)
{
	struct stat status;
	int r;

	if (path[0] == '-')
		return 0;
	if (stat(path, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return replay_folder(path);
	r = replay_file(path);
	return r < 0 ? r : 1;
}

int main(int argc, char **argv)
{
	int fed = 0;

	for (int i = 1; i < argc; i++) {
		int r = replay_argument(argv[i]);

		if (r < 0) {
			fprintf(stderr, "%s: %s: %s\n", argv[0], argv[i], strerror(-r));
			return EXIT_FAILURE;
		}
		fed += r;
	}
	printf("%s: %d inputs\n", argv[0], fed);
	return fed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
