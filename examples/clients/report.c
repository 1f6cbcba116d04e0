/* Prints host, token and seconds since boot, every 100 ms while this host leads. */
#include <electd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t stop;
static void on_signal(int number) { stop = number; }

int main(void)
{
	struct electd_options options = { .size = sizeof(options), .name = "report" };
	struct electd_event event = { .size = sizeof(event) };
	struct timespec t;
	uint64_t token;
	electd *e;

	if (electd_open(&e, &options) < 0 || signal(SIGINT, on_signal) == SIG_ERR)
		return 1;
	while (!stop) {
		for (int rc; (rc = electd_process(e, &event)) != 0;)
			if (rc < 0)
				fprintf(stderr, "electd: %s\n", strerror(-rc));
		if (!electd_may_act(e, &token))
			electd_released(e);
		else if (clock_gettime(CLOCK_BOOTTIME, &t) == 0)
			dprintf(1, "%s %ju %.6f\n", event.leader, (uintmax_t)token,
				t.tv_sec + t.tv_nsec * 1e-9);
		int ms = electd_timeout_ms(e);
		poll(&(struct pollfd){ electd_fd(e), POLLIN, 0 }, 1, ms < 0 || ms > 100 ? 100 : ms);
	}
	electd_close(e);
}
