/*
 * target.c: a target program without a GPU: it drives the mock as a CUDA
 * program drives the driver. Its output and its exit status must not depend on
 * what is loaded into it.
 */
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

#define SIGNATURES 256

enum ending { END_RETURN, END_ABORT, END_EXIT_NOW, END_THREAD, END_KILL };

struct options {
	unsigned long kernels, signatures, threads, streams, copies, contexts;
	unsigned long sleep_ms, leak, pause_us, kernel_us, jit_ms;
	unsigned long round_trips, peer_copies, enable_peer, managed, pinned;
	unsigned long side_streams, graphs, wait_value, host_func, captures;
	unsigned long allocations, textures, hidden_textures, then, heavy_us, ranges;
	unsigned long again, changes, elsewhere, other;
	int exit_code;
	int fork, exec, error_launch, ready, time, peak, import, longest;
	int aside, no_wait, bad_source, early_ranges;
	enum ending ending;
	const char *out, *load;
};

struct job {
	const struct options *o;
	struct mock_context **context;
	unsigned long index;
};

static struct mock_function function[SIGNATURES + 1];

static void
functions_make(void)
{
	char base[24];
	size_t i;

	for (i = 0; i <= SIGNATURES; i++) {
		snprintf(base, sizeof(base), "kernel%zu", i);
		snprintf(function[i].name, sizeof(function[i].name),
		    "_Z%zu%sPf", strlen(base), base);
		function[i].regs = 16 + 8 * (uint32_t)(i % 8);
		function[i].duration_ns = 1000 + 500 * (i % 16);
	}
}

static void
nap(unsigned long us)
{
	struct timespec t = { (time_t)(us / 1000000),
	    (long)(us % 1000000) * 1000 };

	while (us > 0 && nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

/* The launch of kernel ${s}; each kernel has one launch shape. */
static struct mock_launch
launch_of(unsigned long s)
{
	return (struct mock_launch){ .function = &function[s],
	    .grid = { 8 * (uint32_t)(s + 1), 1, 1 },
	    .block = { 64 + 32 * (uint32_t)(s % 8), 1, 1 } };
}

/* NVTX ranges as a program makes them; does nothing without NVTX's headers. */
static void
range_begin(const char *name)
{
#ifdef NVTX_VERSION
	nvtxRangePushA(name);
#else
	(void)name;
#endif
}

static void
range_end(void)
{
#ifdef NVTX_VERSION
	nvtxRangePop();
#endif
}

#ifdef NVTX_VERSION
static nvtxDomainHandle_t domain;
#endif

/* As a library does that knows nothing of CUDA. */
static void
ranges_early(void)
{
#ifdef NVTX_VERSION
	nvtxRangeId_t id;

	range_begin("early");
	nvtxMarkA("early");
	range_end();
	domain = nvtxDomainCreateA("library");
	id = nvtxRangeStartA("early");
	nvtxRangeEnd(id);
#endif
}

/* Calls ${f}(o, context) inside a range of a library's domain, and that inside
 * a range that belongs to no thread. */
static void
range_around(void (*f)(const struct options *, struct mock_context **),
    const struct options *o, struct mock_context **context)
{
#ifdef NVTX_VERSION
	nvtxEventAttributes_t a = { .version = NVTX_VERSION,
	    .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
	    .messageType = NVTX_MESSAGE_TYPE_ASCII,
	    .message.ascii = "<b>inner</b>\033[31m\377" };
	nvtxRangeId_t whole = nvtxRangeStartA("whole");

	if (domain == NULL)
		domain = nvtxDomainCreateA("library");
	nvtxDomainRangePushEx(domain, &a);
	f(o, context);
	nvtxDomainRangePop(domain);
	nvtxRangeEnd(whole);
#else
	printf("no NVTX\n");
	f(o, context);
#endif
}

/* Launch number ${n}. */
static void
launch(const struct job *j, unsigned long s, unsigned long n)
{
	struct mock_launch l = launch_of(s);

	l.stream = j->o->aside ? 1 : (uint32_t)((n + j->index) %
	    j->o->streams);
	errno = EXDEV;		/* a value that no CUDA call sets */
	if (mock_kernel_launch(j->context[j->index % j->o->contexts],
	    &l) != 0) {
		fprintf(stderr, "target: a launch failed\n");
		_exit(99);
	}
	if (errno != EXDEV) {
		fprintf(stderr, "target: a launch changed errno\n");
		_exit(97);
	}
}

static void
launch_graphs(const struct options *o, struct mock_context *c)
{
	struct mock_launch l[SIGNATURES];
	unsigned long i;

	for (i = 0; i < o->signatures; i++)
		l[i] = launch_of(i);
	for (i = 0; i < o->graphs; i++) {
		mock_graph_launch(c, l, o->signatures);
		nap(o->pause_us);
	}
}

static uint64_t
monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Copies to the host, and the same bytes back. */
static void
round_trip(struct mock_context *c, uint64_t buffer)
{
	struct mock_copy down = { .kind = 2, .bytes = 1 << 20,
	    .dst = 0x100000, .src = buffer }, up = { .kind = 1,
	    .bytes = 1 << 20, .dst = buffer, .src = 0x100000 };

	mock_copy(c, &down);
	mock_copy(c, &up);
}

/* Copies 4 MiB again and again to the same place, after changing some of its pages. */
static void
copy_again(const struct options *o, struct mock_context *c)
{
	static char host[4 << 20];
	struct mock_copy up = { .kind = 1, .bytes = sizeof(host),
	    .dst = 0x7e0000000000u, .src = o->bad_source ? 0x1000u :
	    (uintptr_t)host };
	unsigned long i, k;

	for (i = 0; i < o->again; i++) {
		for (k = 0; k < o->changes; k++)
			host[(i + k) * 4096 % sizeof(host)]++;
		mock_copy(c, &up);
	}
}

/* Copies a megabyte from one of seven buffers, none beside another, to one of three, the same
 * zeros each time; or, before each copy, fills a part of the buffer with other data. */
static void
copy_elsewhere(const struct options *o, struct mock_context *c)
{
	static char host[14 << 20];
	struct mock_copy up = { .kind = 1, .bytes = 1 << 20 };
	unsigned long i;

	for (i = 0; i < o->elsewhere; i++) {
		up.src = (uintptr_t)host + (i % 7 << 21);
		up.dst = 0x7e0000000000u + (i % 3 << 22);
		memset(host + (i % 7 << 21), (int)(i * 29 % 251) + 1, o->other);
		mock_copy(c, &up);
	}
}

/* Copies between the first two contexts, which are on two GPUs. */
static void
peers(const struct options *o, struct mock_context **context)
{
	unsigned long i;

	if (o->contexts < 2)
		return;
	if (o->enable_peer > 0)
		mock_enable_peer(context[0], context[1], o->enable_peer > 1);
	for (i = 0; i < o->peer_copies; i++)
		mock_copy_peer(context[0], context[1], 1 << 20);
}

static void
allocate(const struct options *o, struct mock_context *c)
{
	uint64_t begin = monotonic_ns();
	unsigned long i;

	for (i = 0; i < o->allocations; i++)
		mock_free(c, mock_malloc(c, 4096));
	for (i = 0; i < o->textures; i++)
		mock_texture(c, false);
	for (i = 0; i < o->hidden_textures; i++)
		mock_texture(c, true);
	if (o->time && o->allocations > 0)
		printf("ns_per_allocation %.1f\n", (double)(monotonic_ns() -
		    begin) / (double)o->allocations);
	if (o->import)
		mock_import(c);
}

/* Launches a kernel of its own, each launch in a stream capture. */
static void *
captures(void *cookie)
{
	const struct job *j = cookie;
	struct mock_context *c = j->context[0];
	unsigned long i;

	for (i = 0; i < j->o->captures; i++) {
		mock_capture(c, 0, true, true);
		nap(300);
		mock_capture(c, 0, true, false);
		nap(300);
	}
	return NULL;
}

static uint64_t longest_ns;

static void *
work(void *cookie)
{
	const struct job *j = cookie;
	const struct options *o = j->o;
	struct mock_context *c = j->context[j->index % o->contexts];
	unsigned long i, bytes;
	uint64_t buffer = mock_malloc(c, 1 << 20), begin;

	for (i = 0; i < o->copies; i++) {
		bytes = 4096 << (i % 4);
		mock_copy(c, &(struct mock_copy){
		    .stream = (uint32_t)(j->index % o->streams),
		    .kind = i % 2 == 0 ? 1 : 2, .pinned = i % 4 < 2,
		    .async = i % 3 == 0, .bytes = bytes });
	}
	allocate(o, c);
	for (i = 0; i < o->round_trips; i++)
		round_trip(c, buffer);
	copy_again(o, c);
	copy_elsewhere(o, c);
	begin = monotonic_ns();
	for (i = 0; i < o->kernels; i++) {
		uint64_t before = monotonic_ns(), took;
		char range[32];

		if (o->ranges > 0) {
			snprintf(range, sizeof(range), "step %lu",
			    i % o->ranges);
			range_begin(range);
		}
		launch(j, i % o->signatures, i);
		if (o->ranges > 0)
			range_end();
		took = monotonic_ns() - before;
		if (j->index == 0 && took > longest_ns)
			longest_ns = took;
		nap(o->pause_us);
	}
	for (i = 0; i < o->then && j->index == 0; i++) {
		launch(j, o->signatures, i);
		nap(o->pause_us);
	}
	if (o->time && o->kernels > 0)
		printf("ns_per_launch %.1f\n", (double)(monotonic_ns() -
		    begin) / (double)o->kernels);
	mock_memset(c, 0, 4096);
	if (!o->no_wait)
		mock_synchronize(c);
	mock_free(c, buffer);
	return NULL;
}

static void
run_all(const struct options *o, struct mock_context **context)
{
	pthread_t thread[64];
	struct job job[64];
	unsigned long i;

	pthread_t captor;
	struct job captured = { o, context, 0 };

	if (o->captures > 0 && pthread_create(&captor, NULL, captures,
	    &captured) != 0)
		abort();
	for (i = 0; i < o->threads; i++) {
		job[i] = (struct job){ o, context, i };
		if (i > 0 && pthread_create(&thread[i], NULL, work,
		    &job[i]) != 0)
			abort();
	}
	work(&job[0]);
	for (i = 1; i < o->threads; i++)
		pthread_join(thread[i], NULL);
	if (o->captures > 0)
		pthread_join(captor, NULL);
	if (o->longest)
		printf("longest_ms %.1f\n", (double)longest_ns / 1e6);
	for (i = 0; i < o->leak; i++)
		mock_malloc(context[0], 1 << 20);
}

static void *
exit_here(void *cookie)
{
	exit(*(int *)cookie);
}

static int
end(const struct options *o)
{
	int code = o->exit_code;
	pthread_t t;

	fflush(stdout);
	switch (o->ending) {
	case END_ABORT:
		abort();
	case END_EXIT_NOW:
		_exit(code);
	case END_KILL:
		kill(getpid(), SIGKILL);
		break;
	case END_THREAD:
		if (pthread_create(&t, NULL, exit_here, &code) != 0)
			abort();
		for (;;)
			pause();
	case END_RETURN:
		break;
	}
	return code;
}

/* A child process that does not use the GPU, like a data loader's worker. */
static int
fork_child(void)
{
	pid_t child;
	int status;

	if ((child = fork()) < 0)
		return -1;
	if (child == 0) {
		printf("child\n");
		exit(0);
	}
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

/* A program that this program starts: measured as another process. */
static int
exec_child(const char *self)
{
	pid_t child;
	int status;

	if ((child = fork()) < 0)
		return -1;
	if (child == 0) {
		execl(self, self, "--kernels", "50", "--signatures", "2",
		    "--stdout", "executed", (char *)NULL);
		_exit(127);
	}
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

static unsigned long
number(const char *text, unsigned long least, unsigned long most)
{
	char *end_of;
	unsigned long n = strtoul(text, &end_of, 10);

	if (*end_of != '\0' || end_of == text || n < least || n > most) {
		fprintf(stderr, "target: not a number from %lu to %lu: %s\n",
		    least, most, text);
		exit(2);
	}
	return n;
}

enum { O_KERNELS = 1000, O_SIGNATURES, O_THREADS, O_STREAMS, O_COPIES,
	O_CONTEXTS, O_FORK, O_EXEC, O_ABORT, O_EXIT_NOW, O_THREAD, O_KILL,
	O_SLEEP, O_CODE, O_STDOUT, O_ERROR, O_LEAK, O_READY, O_PAUSE,
	O_VALUE, O_TIME, O_SASS, O_KERNEL_US, O_ROUND_TRIPS, O_PEER_COPIES,
	O_ENABLE_PEER, O_MANAGED, O_PINNED, O_SIDE_STREAMS, O_JIT, O_GRAPHS,
	O_PEAK, O_WAIT_VALUE, O_ALLOCATIONS, O_IMPORT, O_HOST_FUNC, O_CAPTURES,
	O_LONGEST, O_THEN, O_HEAVY_US, O_RANGES, O_EARLY_RANGES, O_ASIDE, O_NO_WAIT,
	O_AGAIN, O_CHANGES, O_ELSEWHERE, O_OTHER, O_BAD_SOURCE, O_LOAD, O_TEXTURES,
	O_HIDDEN_TEXTURES };

static const struct option table[] = {
	{ "kernels", 1, NULL, O_KERNELS },	/* launches per thread */
	{ "signatures", 1, NULL, O_SIGNATURES },
	{ "then", 1, NULL, O_THEN },		/* launches of another kernel,
						 * by the first thread */
	{ "heavy-us", 1, NULL, O_HEAVY_US },	/* additional duration of the
						 * last kernel */
	{ "threads", 1, NULL, O_THREADS },
	{ "streams", 1, NULL, O_STREAMS },
	{ "copies", 1, NULL, O_COPIES },
	{ "round-trips", 1, NULL, O_ROUND_TRIPS },	/* pairs of copies, to
							 * the host and back */
	{ "again", 1, NULL, O_AGAIN },		/* copies of the same 4 MiB */
	{ "elsewhere", 1, NULL, O_ELSEWHERE },	/* copies of 1 MiB, addresses change */
	{ "other", 1, NULL, O_OTHER },	/* bytes of it that are other ones each time */
	{ "changes", 1, NULL, O_CHANGES },	/* pages of it, before each copy */
	{ "bad-source", 0, NULL, O_BAD_SOURCE },	/* from where nothing is */
	{ "load", 1, NULL, O_LOAD },		/* a library, behind the kernels;
						 * then 1.5 s go by */
	{ "peer-copies", 1, NULL, O_PEER_COPIES },	/* from context 0 to 1 */
	{ "enable-peer", 1, NULL, O_ENABLE_PEER },	/* 1 by the runtime, 2
							 * by the driver */
	{ "managed", 1, NULL, O_MANAGED },	/* MiB of managed memory */
	{ "pinned", 1, NULL, O_PINNED },	/* MiB of pinned memory */
	{ "side-streams", 1, NULL, O_SIDE_STREAMS },	/* created, non-blocking */
	{ "aside", 0, NULL, O_ASIDE },		/* all launches in another stream */
	{ "no-wait", 0, NULL, O_NO_WAIT },	/* do not wait for the end of
						 * the work */
	{ "wait-value", 1, NULL, O_WAIT_VALUE },	/* ms that a stream waits */
	{ "host-func", 1, NULL, O_HOST_FUNC },	/* ms that a host function takes */
	{ "captures", 1, NULL, O_CAPTURES },	/* of per-thread default streams,
						 * by an additional thread */
	{ "ranges", 1, NULL, O_RANGES },	/* different NVTX ranges, with a
						 * launch each */
	{ "early-ranges", 0, NULL, O_EARLY_RANGES },	/* some, and the domain of the
						 * others, before CUDA */
	{ "longest", 0, NULL, O_LONGEST },	/* print the longest launch, ms */
	{ "graphs", 1, NULL, O_GRAPHS },	/* launches of one graph of all
						 * signatures */
	{ "allocations", 1, NULL, O_ALLOCATIONS },	/* and as many releases */
	{ "textures", 1, NULL, O_TEXTURES },	/* and arrays, made and destroyed */
	{ "hidden-textures", 1, NULL, O_HIDDEN_TEXTURES },	/* the same, in the
						 * runtime's calls alone */
	{ "import", 0, NULL, O_IMPORT },	/* a pointer from another
						 * process's pool */
	{ "contexts", 1, NULL, O_CONTEXTS },
	{ "fork", 0, NULL, O_FORK },
	{ "exec", 0, NULL, O_EXEC },
	{ "abort", 0, NULL, O_ABORT },
	{ "_exit", 0, NULL, O_EXIT_NOW },
	{ "exit-in-thread", 0, NULL, O_THREAD },
	{ "sigkill", 0, NULL, O_KILL },
	{ "sleep-ms", 1, NULL, O_SLEEP },	/* after the work */
	{ "pause-us", 1, NULL, O_PAUSE },	/* after each launch */
	{ "kernel-us", 1, NULL, O_KERNEL_US },	/* additional duration of each launch */
	{ "jit-ms", 1, NULL, O_JIT },		/* of compilation, before the work */
	{ "exit-code", 1, NULL, O_CODE },
	{ "stdout", 1, NULL, O_STDOUT },
	{ "error-launch", 0, NULL, O_ERROR },
	{ "leak", 1, NULL, O_LEAK },		/* MiB never freed */
	{ "ready", 0, NULL, O_READY },		/* print a line when the work is done */
	{ "time", 0, NULL, O_TIME },		/* print ns per launch */
	{ "peak", 0, NULL, O_PEAK },		/* print the peak memory, KiB */
	{ "value", 1, NULL, O_VALUE },		/* value of METRIC of KERNEL (next) */
	{ "sass", 1, NULL, O_SASS },		/* counts of METRIC of kernel NUMBER
						 * (next): "pc value" by instruction */
	{ NULL, 0, NULL, 0 }
};

/* Prints the counts of a SASS metric in one launch of a kernel. */
static void
print_sass(const char *metric, unsigned long kernel)
{
	struct mock_launch l = launch_of(kernel);
	uint64_t value;
	uint32_t pc;

	for (pc = 0; pc < 1 << 20; pc += 16)
		if (mock_sass_value(metric, &l, pc, &value))
			printf("%u %llu\n", pc, (unsigned long long)value);
}

static void
parse(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
		switch (c) {
		case O_KERNELS: o->kernels = number(optarg, 0, 100000000);
			break;
		case O_SIGNATURES: o->signatures = number(optarg, 1,
			SIGNATURES); break;
		case O_THREADS: o->threads = number(optarg, 1, 64); break;
		case O_STREAMS: o->streams = number(optarg, 1, 64); break;
		case O_COPIES: o->copies = number(optarg, 0, 1000000); break;
		case O_CONTEXTS: o->contexts = number(optarg, 1, 8); break;
		case O_ROUND_TRIPS: o->round_trips = number(optarg, 0, 100000);
			break;
		case O_AGAIN: o->again = number(optarg, 0, 100000); break;
		case O_ELSEWHERE: o->elsewhere = number(optarg, 0, 100000); break;
		case O_OTHER: o->other = number(optarg, 0, 1 << 20); break;
		case O_CHANGES: o->changes = number(optarg, 0, 1024); break;
		case O_BAD_SOURCE: o->bad_source = 1; break;
		case O_PEER_COPIES: o->peer_copies = number(optarg, 0, 100000);
			break;
		case O_ENABLE_PEER: o->enable_peer = number(optarg, 0, 2); break;
		case O_MANAGED: o->managed = number(optarg, 0, 10000); break;
		case O_PINNED: o->pinned = number(optarg, 0, 10000); break;
		case O_SIDE_STREAMS: o->side_streams = number(optarg, 0, 64);
			break;
		case O_WAIT_VALUE: o->wait_value = number(optarg, 0, 600000);
			break;
		case O_ALLOCATIONS: o->allocations = number(optarg, 0,
			100000000); break;
		case O_TEXTURES: o->textures = number(optarg, 0, 1000000);
			break;
		case O_HIDDEN_TEXTURES: o->hidden_textures = number(optarg, 0,
			1000000); break;
		case O_IMPORT: o->import = 1; break;
		case O_ASIDE: o->aside = 1; break;
		case O_NO_WAIT: o->no_wait = 1; break;
		case O_HOST_FUNC: o->host_func = number(optarg, 0, 600000);
			break;
		case O_CAPTURES: o->captures = number(optarg, 0, 100000);
			break;
		case O_HEAVY_US: o->heavy_us = number(optarg, 0, 1000000);
			break;
		case O_THEN: o->then = number(optarg, 0, 100000000);
			break;
		case O_EARLY_RANGES: o->early_ranges = 1; break;
		case O_RANGES: o->ranges = number(optarg, 1, 10000000); break;
		case O_LONGEST: o->longest = 1; break;
		case O_GRAPHS: o->graphs = number(optarg, 0, 1000000); break;
		case O_FORK: o->fork = 1; break;
		case O_EXEC: o->exec = 1; break;
		case O_ABORT: o->ending = END_ABORT; break;
		case O_EXIT_NOW: o->ending = END_EXIT_NOW; break;
		case O_THREAD: o->ending = END_THREAD; break;
		case O_KILL: o->ending = END_KILL; break;
		case O_SLEEP: o->sleep_ms = number(optarg, 0, 600000); break;
		case O_PAUSE: o->pause_us = number(optarg, 0, 1000000); break;
		case O_KERNEL_US: o->kernel_us = number(optarg, 0, 5000000);
			break;
		case O_CODE: o->exit_code = (int)number(optarg, 0, 255); break;
		case O_STDOUT: o->out = optarg; break;
		case O_LOAD: o->load = optarg; break;
		case O_ERROR: o->error_launch = 1; break;
		case O_JIT: o->jit_ms = number(optarg, 0, 10000); break;
		case O_LEAK: o->leak = number(optarg, 0, 10000); break;
		case O_READY: o->ready = 1; break;
		case O_TIME: o->time = 1; break;
		case O_PEAK: o->peak = 1; break;
		case O_VALUE:
			if (optind >= argc)
				exit(2);
			printf("%.17g\n", mock_value(optarg, argv[optind]));
			exit(0);
		case O_SASS:
			if (optind >= argc)
				exit(2);
			print_sass(optarg, number(argv[optind], 0,
			    SIGNATURES - 1));
			exit(0);
		default: exit(2);
		}
	}
}

int
main(int argc, char **argv)
{
	struct options o = { .kernels = 100, .signatures = 4, .threads = 1,
	    .streams = 1, .contexts = 1 };
	struct mock_context *context[8];
	struct mock_launch bad = { .function = &function[0],
	    .grid = { 1, 1, 1 }, .block = { 2048, 1, 1 }, .result = 1 };
	const char *why = "";
	struct rusage used;
	unsigned long i;

	setlocale(LC_ALL, "");
	functions_make();
	parse(&o, argc, argv);
	for (i = 0; i < SIGNATURES; i++)
		function[i].duration_ns += 1000 * o.kernel_us;
	function[o.signatures - (o.then == 0)].duration_ns +=
	    1000 * o.heavy_us;
	if (o.early_ranges)
		ranges_early();
	if (mock_init(&why) < 0)
		fprintf(stderr, "target: %s\n", why);
	for (i = 0; i < o.contexts; i++)
		context[i] = mock_context_create((uint32_t)(i % 2));
	if (o.out != NULL)
		printf("%s\n", o.out);
	fflush(stdout);
	if (o.managed > 0)
		mock_managed(context[0], (uint64_t)o.managed << 20);
	if (o.pinned > 0)
		mock_host_alloc(context[0], (uint64_t)o.pinned << 20);
	for (i = 0; i < o.side_streams; i++)
		mock_stream_make(context[0], false);
	if (o.wait_value > 0)
		mock_wait_value(context[0], o.wait_value);
	if (o.host_func > 0)
		mock_host_function(context[0], o.host_func);
	if (o.jit_ms > 0)
		mock_jit(context[0], o.jit_ms);
	peers(&o, context);
	if (o.ranges > 0)
		range_around(run_all, &o, context);
	else
		run_all(&o, context);
	if (o.load != NULL && dlopen(o.load, RTLD_NOW) == NULL) {
		fprintf(stderr, "target: %s\n", dlerror());
		return 97;
	}
	nap(o.load != NULL ? 1500000 : 0);
	launch_graphs(&o, context[0]);
	if (o.error_launch)
		mock_kernel_launch(context[0], &bad);
	if ((o.fork && fork_child() != 0) || (o.exec &&
	    exec_child(argv[0]) != 0)) {
		fprintf(stderr, "target: the child failed\n");
		return 98;
	}
	if (o.peak && getrusage(RUSAGE_SELF, &used) == 0)
		printf("peak_kib %ld\n", used.ru_maxrss);
	if (o.ready)
		printf("ready\n");
	fflush(stdout);
	nap(o.sleep_ms * 1000);
	if (o.ending == END_RETURN)
		for (i = 0; i < o.contexts; i++)
			mock_context_destroy(context[i]);
	return end(&o);
}
