#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sort.h"
#include "base/stop.h"
#include "capture/symbol_ask.h"
#include "wire/record.h"

#define BATCH 65536u		/* bytes of records that the helper writes at once */
#define SLACK_NS 500000000ull	/* time after the deadline before the helper is killed */
#define LOOK_MS 200		/* interval to check stop_asked */

/* The helper's side of the pipe. */
struct answer {
	int fd;
	bool closed;		/* nobody reads any more */
	size_t used;
	uint8_t buf[BATCH];
};

/* --- the helper -------------------------------------------------------------- */

static void
flush(struct answer *a)
{
	size_t done = 0;
	ssize_t n;

	while (done < a->used && !a->closed) {
		n = write(a->fd, a->buf + done, a->used - done);
		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			a->closed = true;
	}
	a->used = 0;
}

static void
put(struct answer *a, const struct record_FRAME *r)
{
	size_t n = record_put_FRAME(a->buf + a->used, BATCH - a->used, r);

	if (n == 0) {
		flush(a);
		n = record_put_FRAME(a->buf, BATCH, r);
	}
	a->used += n;
}

static int
same_file(const struct symbol_want *a, const struct symbol_want *b)
{
	int c = a->path == b->path ? 0 : strcmp(a->path, b->path);

	if (c != 0)
		return c;
	return ORDER(a->id.build_id_len, b->id.build_id_len) ?:
	    memcmp(a->id.build_id, b->id.build_id, a->id.build_id_len);
}

static int
by_file(const void *a, const void *b)
{

	return same_file(a, b);
}

static int
by_address(const void *a, const void *b)
{
	const struct symbol_name *x = &((const struct symbol_want *)a)->name;
	const struct symbol_name *y = &((const struct symbol_want *)b)->name;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void
put_want(struct answer *a, const struct symbol_want *w,
    const struct symbol_place *p, size_t places)
{
	struct record_FRAME r = { .address = w->address,
	    .mapping = w->mapping, .process = w->process };
	size_t i;

	if (places == 0 && w->name.name != NULL) {
		r.function = wire_str_of(w->name.name);
		r.flags = w->name.vague ? FRAME_EXPORTED : 0;
		put(a, &r);
	}
	for (i = 0; i < places; i++) {
		r.depth = (uint32_t)i;
		r.function = wire_str_of(p[i].function);
		if (p[i].function == NULL && i + 1 == places)
			r.function = wire_str_of(w->name.name);
		r.file = wire_str_of(p[i].file);
		r.line = p[i].line;
		put(a, &r);
	}
}

/* Writes the names of the ${n} addresses in one file. */
static void
look_up(struct answer *a, struct symbol_want *w, size_t n, uint64_t deadline)
{
	struct symbol_file *f = symbol_file_open(w->path, &w->id, NULL);
	struct symbol_place place[SYMBOL_DEPTH];
	struct symbol_name *name;
	size_t i, known = 0, places = 0;

	if (f == NULL)
		return;
	for (i = 0; i < n; i++)
		if (symbol_file_address(f, w[i].offset,
		    &w[i].name.address) == 0)
			w[known++] = w[i];
	qsort(w, known, sizeof(*w), by_address);
	if ((name = calloc(known + 1, sizeof(*name))) != NULL) {
		for (i = 0; i < known; i++)
			name[i] = w[i].name;
		symbol_file_names(f, name, known);
		for (i = 0; i < known; i++) {
			w[i].name = name[i];
			/* Several processes may have the same address. */
			if (i == 0 || name[i].address != name[i - 1].address)
				places = symbol_file_places(f,
				    name[i].address, place, deadline);
			put_want(a, &w[i], place, places);
		}
	}
	free(name);
	symbol_file_close(f);
}

static void
stay_small(int fd)
{
	struct rlimit cpu = { 10, 10 }, none = { 0, 0 };
	int null, oom;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	/* The OOM killer shall choose the helper first. */
	if ((oom = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)) >=
	    0) {
		n = write(oom, "1000", 4);
		(void)n;
	}
	/* Close inherited descriptors, and print nothing. */
	dup2(fd, 3);
	close_range(4, ~0u, 0);
	if ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
	}
}

static void
helper(int fd, struct symbol_want *w, size_t n, uint64_t deadline)
{
	struct answer *a;
	size_t i, end;

	stay_small(fd);
	if ((a = calloc(1, sizeof(*a))) == NULL)
		return;
	a->fd = 3;
	qsort(w, n, sizeof(*w), by_file);
	for (i = 0; i < n && clock_mono() < deadline && !a->closed; i = end) {
		for (end = i + 1; end < n && same_file(&w[i], &w[end]) == 0;
		    end++)
			;
		look_up(a, w + i, end - i, deadline);
		flush(a);	/* the results so far, before the next file */
	}
}

/* --- the caller ------------------------------------------------------------ */

/* Reads until the end of the answer, the time ${until} or the size limit. */
static uint8_t *
listen_to(int fd, uint64_t until, size_t *len)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t *buf = NULL, *grown;
	size_t cap = 0;
	uint64_t now;
	ssize_t n;

	for (*len = 0; *len < SYMBOL_ANSWER;) {
		if (*len == cap) {
			cap = cap == 0 ? BATCH : 2 * cap;
			if ((grown = realloc(buf, cap)) == NULL)
				break;
			buf = grown;
		}
		if ((now = clock_mono()) >= until || stop_asked())
			break;
		n = (int)((until - now) / 1000000) + 1;
		n = poll(&p, 1, n < LOOK_MS ? (int)n : LOOK_MS);
		if (n < 0 && errno != EINTR)
			break;
		if (n <= 0)
			continue;
		n = read(fd, buf + *len, cap - *len);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		*len += n > 0 ? (size_t)n : 0;
	}
	return buf;
}

uint8_t *
symbol_ask(struct symbol_want *w, size_t n, uint64_t ns, size_t *len)
{
	uint64_t deadline = clock_mono() + ns;
	uint8_t *answer = NULL;
	sigset_t all, old;
	int p[2];
	pid_t pid;

	*len = 0;
	if (n == 0 || pipe2(p, O_CLOEXEC) != 0)
		return NULL;
	/* No signal handler of the daemon may run in the helper. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if ((pid = fork()) == 0) {
		helper(p[1], w, n, deadline);
		_exit(0);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(p[1]);
	if (pid > 0) {
		answer = listen_to(p[0], deadline + SLACK_NS, len);
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(p[0]);
	return answer;
}
