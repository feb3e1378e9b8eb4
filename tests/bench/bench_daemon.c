/*
 * bench_daemon.c: sends a run of many launches over the daemon's real sockets,
 * and measures how long that takes, how much memory the daemon needs, and how
 * fast the API answers about the run.
 *
 *   bench-daemon INGEST_SOCKET API_SOCKET DAEMON_PID [LAUNCHES] [REQUESTS]
 */
#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire/frame.h"
#include "wire/record.h"

#include "stream.h"

#define RUN "beefbeefbeefbeefbeefbeefbeefbeef"

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
die(const char *what)
{
	fprintf(stderr, "bench-daemon: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int
dial(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(a.sun_path))
		die(path);
	memcpy(a.sun_path, path, strlen(path) + 1);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		die(path);
	return fd;
}

/* Reads the acknowledgements that have arrived; returns the highest sequence number. */
static uint64_t
read_acks(int fd, bool wait, uint64_t acked)
{
	static uint8_t buf[65536];
	static size_t have;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct frame_header h;
	struct record r;
	size_t pos, at = 0;
	ssize_t n;

	if (poll(&p, 1, wait ? 1000 : 0) <= 0)
		return acked;
	if ((n = recv(fd, buf + have, sizeof(buf) - have, 0)) <= 0)
		die("the daemon hung up");
	have += (size_t)n;
	while (frame_check(buf + at, have - at, &h) == FRAME_OK) {
		pos = 0;
		if (record_next(buf + at + FRAME_HEADER_SIZE, h.stored, &pos,
		    &r) == 1 && r.type == RECORD_ACK &&
		    r.u.ACK.sequence > acked)
			acked = r.u.ACK.sequence;
		at += FRAME_HEADER_SIZE + h.stored;
	}
	memmove(buf, buf + at, have - at);
	have -= at;
	return acked;
}

static void
send_all(int fd, const uint8_t *p, size_t len)
{
	ssize_t n;

	for (; len > 0; p += n, len -= (size_t)n)
		if ((n = send(fd, p, len, MSG_NOSIGNAL)) <= 0)
			die("send");
}

/* Sends the launcher's stream, so that the run has a beginning and an end. */
static int
launcher_begin(const char *socket_path, uint8_t *frame)
{
	struct frame_header h = { .stream = 99 };
	struct record_RUN_BEGIN r = { .now_ns = 1699999999000000000u,
	    .run = wire_str_of(RUN), .command = wire_str_of("bench"),
	    .cwd = wire_str_of("/"), .host = wire_str_of("bench"),
	    .version = wire_str_of("bench"), .level = LEVEL_COUNTERS,
	    .budget = 0.05, .uid = (uint32_t)getuid() };
	int fd = dial(socket_path);

	h.stored = h.raw = (uint32_t)record_put_RUN_BEGIN(frame +
	    FRAME_HEADER_SIZE, 4096, &r);
	h.records = 1;
	frame_seal(frame, &h);
	send_all(fd, frame, FRAME_HEADER_SIZE + h.stored);
	return fd;
}

static void
launcher_end(int fd, uint8_t *frame, uint64_t end_ns)
{
	struct frame_header h = { .stream = 99, .sequence = 1 };
	struct record_RUN_END r = { .start_ns = 1699999999000000000u,
	    .end_ns = end_ns };

	h.stored = h.raw = (uint32_t)record_put_RUN_END(frame +
	    FRAME_HEADER_SIZE, 4096, &r);
	h.records = 1;
	frame_seal(frame, &h);
	send_all(fd, frame, FRAME_HEADER_SIZE + h.stored);
}

static double
send_run(const char *path, uint64_t launches, uint64_t *records)
{
	struct bench_stream *s = malloc(sizeof(*s));
	uint8_t *frame = malloc(8192);
	uint64_t acked = 0;
	double t = now();
	int fd, launcher;

	if (s == NULL || frame == NULL)
		die("malloc");
	launcher = launcher_begin(path, frame);
	fd = dial(path);
	stream_init(s, RUN, 7, launches);
	while (stream_next(s)) {
		send_all(fd, s->frame, s->len);
		acked = read_acks(fd, false, acked);
	}
	while (acked < s->sequence && now() - t < 600)
		acked = read_acks(fd, true, acked);
	if (acked != s->sequence)
		die("not everything was acknowledged");
	t = now() - t;
	*records = s->sequence;
	launcher_end(launcher, frame, s->now_ns + 1000000);
	close(fd);
	close(launcher);
	free(s);
	free(frame);
	return t;
}

static long
peak_kib(const char *pid)
{
	char path[64], line[256];
	long kib = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	if ((f = fopen(path, "re")) == NULL)
		die(path);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = strtol(line + 6, NULL, 10);
	fclose(f);
	return kib;
}

struct text {
	char *p;
	size_t len;
};

static size_t
collect(char *data, size_t size, size_t n, void *cookie)
{
	struct text *t = cookie;
	char *p = realloc(t->p, t->len + size * n + 1);

	if (p == NULL)
		return 0;
	memcpy(p + t->len, data, size * n);
	t->p = p;
	t->len += size * n;
	t->p[t->len] = '\0';
	return size * n;
}

/* The seconds that one GET takes; -1 if it is not answered with 200. */
static double
get(CURL *c, const char *path, struct text *body)
{
	char url[512];
	long status = 0;
	double t;

	snprintf(url, sizeof(url), "http://localhost/api/v1%s", path);
	free(body->p);
	*body = (struct text){ NULL, 0 };
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, collect);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, body);
	t = now();
	if (curl_easy_perform(c) != CURLE_OK)
		return -1;
	t = now() - t;
	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	return status == 200 ? t : -1;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Waits until the analysis of the run has finished. */
static void
wait_finished(CURL *c)
{
	struct text body = { NULL, 0 };
	struct timespec nap = { 0, 100000000 };
	double begin = now();

	while (get(c, "/runs/" RUN, &body) < 0 || body.p == NULL ||
	    strstr(body.p, "finished") == NULL) {
		if (now() - begin > 120)
			die("the run does not end");
		nanosleep(&nap, NULL);
	}
	printf("daemon\tanalysed_after_s\t%.2f\t\tof the last frame\n",
	    now() - begin);
	free(body.p);
}

static int
measure(CURL *c, const char *path, int requests, double floor_s)
{
	double *t = calloc((size_t)requests, sizeof(*t));
	struct text body = { NULL, 0 };
	const char *rest = strstr(path, RUN);
	char shown[128];
	int i, bad = 0;

	snprintf(shown, sizeof(shown), "%s%s", rest != NULL ? "/runs/ID" : path,
	    rest != NULL ? rest + strlen(RUN) : "");
	if (t == NULL)
		die("calloc");
	for (i = 0; i < requests; i++)
		if ((t[i] = get(c, path, &body)) < 0)
			bad++;
	qsort(t, (size_t)requests, sizeof(*t), compare);
	printf("api %s\tp50_ms\t%.2f\t\t%zu bytes\n", shown,
	    t[requests / 2] * 1e3, body.len);
	printf("api %s\tp99_ms\t%.2f\t20\tat most; %.1f × /health\n", shown,
	    t[requests * 99 / 100] * 1e3,
	    floor_s > 0 ? t[requests / 2] / floor_s : 1.0);
	if (bad > 0)
		fprintf(stderr, "bench-daemon: %s: %d of %d requests failed\n",
		    path, bad, requests);
	free(body.p);
	free(t);
	return bad;
}

int
main(int argc, char **argv)
{
	static const char *const paths[] = { "/health", "/runs",
	    "/runs/" RUN, "/runs/" RUN "/kernels", "/runs/" RUN "/kernels/1",
	    "/runs/" RUN "/findings", "/runs/" RUN "/copies",
	    "/runs/" RUN "/timeline", "/runs/" RUN "/diagnostics",
	    "/runs/" RUN "/kernels/1/launches" };
	uint64_t launches = argc > 4 ? strtoull(argv[4], NULL, 10) : 10000000;
	int requests = argc > 5 ? atoi(argv[5]) : 300;
	struct text body = { NULL, 0 };
	uint64_t records = 0;
	double t, floor_s = 0;
	size_t i;
	int bad = 0;
	CURL *c;

	if (argc < 4 || launches == 0 || requests < 1) {
		fprintf(stderr, "usage: bench-daemon INGEST API PID "
		    "[LAUNCHES] [REQUESTS]\n");
		return 2;
	}
	t = send_run(argv[1], launches, &records);
	printf("daemon\trecords_per_s\t%.0f\t\tover the socket, %llu "
	    "launches\n", (double)records / t, (unsigned long long)launches);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	c = curl_easy_init();
	curl_easy_setopt(c, CURLOPT_UNIX_SOCKET_PATH, argv[2]);
	wait_finished(c);
	printf("daemon\tpeak_mib\t%.0f\t256\tat most\n",
	    (double)peak_kib(argv[3]) / 1024);
	for (i = 0; i < 50; i++)
		floor_s += get(c, "/health", &body) / 50;
	for (i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		bad += measure(c, paths[i], requests, floor_s);
	free(body.p);
	curl_easy_cleanup(c);
	return bad > 0;
}
