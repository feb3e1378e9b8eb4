/*
 * bench_ingest.c: how many records a second the daemon ingests, with how much memory,
 * and how soon after the end of the run its report is there. The sender is another
 * process; the listener thread decodes, feeds the model and writes the capture.
 *
 *  bench-ingest [LAUNCHES]	prints one JSON object
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config/config.h"
#include "base/error.h"
#include "base/log.h"
#include "service/service.h"
#include "unit/fixtures.h"

#define PER_FRAME 1000

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
send_all(int fd, const uint8_t *p, size_t len)
{
	ssize_t n;

	while (len > 0) {
		if ((n = send(fd, p, len, MSG_NOSIGNAL)) <= 0)
			_exit(1);
		p += n;
		len -= (size_t)n;
	}
}

static void
sender(const char *path, unsigned long launches)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct fixture f;
	char drain[4096];
	unsigned long i;
	unsigned k;

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		_exit(1);
	fixture_init(&f, 5);
	fixture_begin(&f, FIXTURE_RUN);
	fixture_hello(&f, FIXTURE_RUN, (uint32_t)getpid());
	fixture_device(&f);
	for (k = 1; k <= 25; k++) {
		char name[32];

		snprintf(name, sizeof(name), "_Z8kernel%02uPf", k);
		fixture_signature(&f, k, name);
	}
	for (i = 0; i < launches; i++) {
		fixture_kernels(&f, (uint32_t)(i % 25 + 1), 1, 2000);
		if (i % PER_FRAME != PER_FRAME - 1)
			continue;
		fixture_flush(&f);
		send_all(fd, f.file, f.len);
		f.len = 0;
		while (recv(fd, drain, sizeof(drain), MSG_DONTWAIT) > 0)
			continue;
	}
	fixture_bye(&f);
	fixture_end(&f);
	fixture_flush(&f);
	send_all(fd, f.file, f.len);
	close(fd);
	_exit(0);
}

int
main(int argc, char **argv)
{
	unsigned long launches = argc > 1 ? strtoul(argv[1], NULL, 10) :
	    1000000;
	struct service_options o = { .listen_fd = -1 };
	struct service_counters c;
	struct config config;
	struct error e = ERROR_INIT;
	struct service *s;
	struct store_run r;
	struct rusage before, after;
	char *top = fixture_mkdir(), path[100];
	double begin, taken, reported, cpu;
	pid_t pid;

	log_setup(LOG_LEVEL_ERROR, false);
	config_init(&config);
	snprintf(path, sizeof(path), "%s/ingest.sock", top);
	o.socket = path;
	o.state = top;
	o.config = &config;
	if ((s = service_start(&o, &e)) == NULL) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	getrusage(RUSAGE_SELF, &before);
	begin = now();
	if ((pid = fork()) == 0)
		sender(path, launches);
	do {
		usleep(1000);
		service_counters(s, &c);
	} while (c.records < launches + 50 &&
	    waitpid(pid, NULL, WNOHANG) != pid);
	do {
		usleep(500);
		service_counters(s, &c);
	} while (c.connections_open > 0);
	taken = now();
	for (;;) {
		if (store_run_find(service_store(s), FIXTURE_RUN, &r, &e) ==
		    STORE_OK) {
			if (strcmp(r.state, "live") != 0)
				break;
			store_run_clear(&r);
		}
		usleep(1000);
	}
	reported = now();
	getrusage(RUSAGE_SELF, &after);
	cpu = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
	    1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) +
	    (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
	    1e-6 * (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
	printf("{\"launches\": %lu, \"records_per_s\": %.0f, "
	    "\"records_per_cpu_s\": %.0f, \"report_after_s\": %.3f, "
	    "\"max_rss_mib\": %.1f, \"capture_mib\": %.1f}\n", launches,
	    (double)c.records / (taken - begin), (double)c.records / cpu,
	    reported - taken, (double)after.ru_maxrss / 1024,
	    (double)r.bytes / 1048576);
	store_run_clear(&r);
	service_stop(s);
	fixture_rmdir(top);
	return 0;
}
