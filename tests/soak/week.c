/*
 * week.c: a run of many days in minutes: `week DAEMON DAYS PROCESSES MIB`. Each
 * process seals a frame of one launch every 100 ms, as the library does for a
 * program that launches little. The daemon must receive, store, show and
 * reanalyze all of it in MIB of memory; its peak in each part is printed. Exit
 * status 1 if it needs more, or loses anything.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/fixtures.h"
#include "wire/frame.h"

#define FRAME_NS 100000000ull	/* interval between frames: injection/sender.c */
#define BURST 500		/* frames of a process, one after the other */
#define S 1000000000ull

struct target {
	struct fixture f;
	int fd;
};

static char *top;
static char runtime[300];
static pid_t daemon_pid;
static unsigned long limit_mib;
static int failed;

static void
clean_up(void)
{

	if (daemon_pid > 0) {
		kill(daemon_pid, SIGTERM);
		waitpid(daemon_pid, NULL, 0);
	}
	fixture_rmdir(top);
}

static void
die(const char *what)
{

	fprintf(stderr, "week: %s: %s\n", what, strerror(errno));
	clean_up();
	exit(2);
}

static int
dial(const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%.80s/%s", runtime, name);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void
start_daemon(const char *program)
{
	char state[300];
	int fd;

	snprintf(runtime, sizeof(runtime), "%s/run", top);
	snprintf(state, sizeof(state), "%s/state", top);
	setenv("CUDADVISE_RUNTIME_DIR", runtime, 1);
	setenv("CUDADVISE_STATE_DIR", state, 1);
	setenv("HOME", top, 1);
	if ((daemon_pid = fork()) == 0) {
		execl(program, program, "--foreground", (char *)NULL);
		_exit(127);
	}
	while ((fd = dial("ingest.sock")) < 0) {
		if (waitpid(daemon_pid, NULL, WNOHANG) != 0)
			die("the daemon ended");
		usleep(10000);
	}
	close(fd);
}

/* The daemon's peak memory since the last call, MiB. */
static unsigned long
peak(void)
{
	char name[64], line[256];
	unsigned long kib = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)daemon_pid);
	if ((f = fopen(name, "r")) == NULL)
		die(name);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	fclose(f);
	snprintf(name, sizeof(name), "/proc/%d/clear_refs", (int)daemon_pid);
	if ((f = fopen(name, "w")) != NULL) {
		fputs("5", f);
		fclose(f);
	}
	return kib / 1024;
}

static void
report(const char *part)
{
	static time_t begin;
	unsigned long mib = peak();

	if (begin == 0)
		begin = time(NULL);
	printf("%-12s %5lu MiB at most, %5ld s\n", part, mib,
	    (long)(time(NULL) - begin));
	fflush(stdout);
	if (mib > limit_mib) {
		printf("over the limit of %lu MiB\n", limit_mib);
		failed = 1;
	}
}

/* Sends ${method} ${path}, which must be answered with 200; returns the body,
 * malloced. */
static char *
ask(const char *method, const char *format, ...)
{
	char target[600], request[800], *buf = NULL, *body;
	size_t len = 0, cap = 0;
	va_list ap;
	ssize_t n;
	int fd = dial("api.sock");

	va_start(ap, format);
	vsnprintf(target, sizeof(target), format, ap);
	va_end(ap);
	snprintf(request, sizeof(request), "%s /api/v1/runs%s HTTP/1.1\r\n"
	    "Host: localhost\r\nConnection: close\r\n%s\r\n", method, target,
	    strcmp(method, "POST") == 0 ? "Content-Length: 0\r\n" : "");
	if (fd < 0 || send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
		die("no answer");
	do {
		if (len + 65536 > cap && (buf = realloc(buf,
		    cap = 2 * cap + 65537)) == NULL)
			die("memory");
		n = recv(fd, buf + len, 65536, 0);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	buf[len] = '\0';
	close(fd);
	body = strstr(buf, "\r\n\r\n");
	if (strncmp(buf, "HTTP/1.1 2", 10) != 0 || body == NULL) {
		printf("%s %s: %.500s\n", method, target, buf);
		failed = 1;
	}
	body = strdup(body != NULL ? body + 4 : "");
	free(buf);
	return body;
}

static uint64_t
field(const char *json, const char *name)
{
	char key[64];
	const char *p;

	snprintf(key, sizeof(key), "\"%s\":", name);
	if ((p = strstr(json, key)) == NULL)
		return 0;
	for (p += strlen(key); isspace((unsigned char)*p); p++)
		continue;
	return strtoull(p, NULL, 10);
}

static void
transmit(struct target *t)
{
	char ack[65536];

	if (send(t->fd, t->f.file, t->f.len, MSG_NOSIGNAL) !=
	    (ssize_t)t->f.len)
		die("the daemon hung up");
	while (recv(t->fd, ack, sizeof(ack), MSG_DONTWAIT) > 0)
		continue;
	t->f.len = 0;
}

static void
begin(struct target *t, uint64_t stream, uint64_t start)
{

	fixture_init(&t->f, stream);
	fixture_put_HELLO(&t->f, &(struct record_HELLO){
	    .protocol = WIRE_PROTOCOL, .level = LEVEL_TRACE,
	    .pid = (uint32_t)getpid(), .start_ns = start, .now_ns = start,
	    .run = wire_str_of(FIXTURE_RUN), .exe = wire_str_of("/bin/app"),
	    .command = wire_str_of("./app") });
	fixture_flush(&t->f);
	fixture_device(&t->f);
	fixture_signature(&t->f, 1, "_Z7saxpy_kPfS_f");
	fixture_flush(&t->f);
	if ((t->fd = dial("ingest.sock")) < 0)
		die("the daemon does not listen");
	transmit(t);
}

static void
burst(struct target *t, uint64_t at, unsigned frames)
{

	for (; frames > 0; frames--, at += FRAME_NS) {
		fixture_put_KERNEL(&t->f, &(struct record_KERNEL){
		    .signature = 1, .context = 1, .stream = 7,
		    .correlation = (uint32_t)t->f.sequence, .start_ns = at,
		    .end_ns = at + 50000, .launch_ns = at - 3000, .tid = 1 });
		fixture_flush(&t->f);
	}
	transmit(t);
}

static void
send_all(struct target *t, unsigned targets, uint64_t start, uint64_t frames)
{
	uint64_t done, n;
	unsigned i;

	for (i = 0; i < targets; i++)
		begin(&t[i], 100 + i, start);
	for (done = 0; done < frames; done += n) {
		n = frames - done < BURST ? frames - done : BURST;
		for (i = 0; i < targets; i++)
			burst(&t[i], start + S + done * FRAME_NS,
			    (unsigned)n);
		if (done / BURST % 2000 == 1999)
			printf("%" PRIu64 " of %" PRIu64 " frames each\n",
			    done, frames);
	}
	report("live");
	free(ask("GET", "/1"));
	free(ask("GET", "/1/timeline"));
	for (i = 0; i < targets; i++) {
		fixture_put_BYE(&t[i].f, &(struct record_BYE){
		    .now_ns = start + 2 * S + frames * FRAME_NS,
		    .reason = BYE_EXIT });
		fixture_flush(&t[i].f);
		transmit(&t[i]);
		shutdown(t[i].fd, SHUT_WR);
	}
}

static void
wait_stored(void)
{
	bool live = true;
	char *run;

	while (live) {
		usleep(100000);
		run = ask("GET", "/1");
		live = strstr(run, "\"state\":\"live\"") != NULL;
		free(run);
	}
}

/* Checks that every launch is there, in fewer and larger frames. */
static void
check_run(uint64_t launches, uint64_t sent)
{
	char *run = ask("GET", "/1");

	if (field(run, "launches") != launches) {
		printf("%" PRIu64 " launches of %" PRIu64 "\n",
		    field(run, "launches"), launches);
		failed = 1;
	}
	printf("the capture: %" PRIu64 " bytes of %" PRIu64 "\n",
	    field(run, "capture_bytes"), sent);
	if (field(run, "capture_bytes") > sent / 3) {
		printf("that is not compressed\n");
		failed = 1;
	}
	free(run);
}

static void
show(uint64_t wall)
{
	char *page, *cursor, *end;
	uint64_t from;
	int i;

	free(ask("GET", "/1/kernels"));
	free(ask("GET", "/1/findings"));
	for (i = 0; i < 64; i++) {
		from = wall / 64 * (uint64_t)i;
		page = ask("GET", "/1/timeline?px=100&from_ns=%" PRIu64
		    "&to_ns=%" PRIu64, from, from + 60 * S);
		if (strstr(page, "\"detail\":true") == NULL) {
			printf("minute at %" PRIu64 " not drawn\n", from);
			failed = 1;
		}
		free(page);
		free(ask("GET", "/1/timeline?from_ns=%" PRIu64 "&to_ns=%"
		    PRIu64, from / 2, from));
	}
	page = ask("GET", "/1/kernels/1/launches?limit=1000");
	for (i = 0; i < 20 && (cursor = strstr(page, "\"next_cursor\":\"")) != NULL;
	    i++) {
		cursor += strlen("\"next_cursor\":\"");
		if ((end = strchr(cursor, '"')) != NULL)
			*end = '\0';
		end = strdup(cursor);
		free(page);
		page = ask("GET", "/1/kernels/1/launches?limit=1000&cursor=%s",
		    end);
		free(end);
	}
	if (i == 0) {
		printf("launches have one page only\n");
		failed = 1;
	}
	free(page);
}

int
main(int argc, char *argv[])
{
	uint64_t frames, start, wall;
	struct target *t;
	struct timespec now;
	unsigned targets;

	if (argc != 5) {
		fprintf(stderr, "usage: week DAEMON DAYS PROCESSES MIB\n");
		return 2;
	}
	frames = (uint64_t)(atof(argv[2]) * 86400 * (double)S / FRAME_NS);
	targets = (unsigned)atoi(argv[3]);
	limit_mib = strtoul(argv[4], NULL, 10);
	if (frames == 0 || targets == 0 ||
	    (t = calloc(targets, sizeof(*t))) == NULL)
		return 2;
	clock_gettime(CLOCK_REALTIME, &now);
	wall = frames * FRAME_NS;
	start = (uint64_t)now.tv_sec * S - wall;
	top = fixture_mkdir();
	start_daemon(argv[1]);
	report("idle");
	send_all(t, targets, start, frames);
	wait_stored();
	report("stored");
	check_run(targets * frames, targets * frames * (FRAME_HEADER_SIZE +
	    72));
	show(wall);
	report("shown");
	free(ask("POST", "/1/reanalyze"));
	report("reanalyzed");
	check_run(targets * frames, targets * frames * (FRAME_HEADER_SIZE +
	    72));
	while (targets-- > 0)
		fixture_free(&t[targets].f);
	free(t);
	clean_up();
	printf(failed ? "FAILED\n" : "kept\n");
	return failed;
}
