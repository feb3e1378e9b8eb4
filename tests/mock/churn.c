/*
 * churn.c: mock-churn THREADS ROUNDS [STREAMS]: each thread compares kernels as the
 * autotuner of a compiler does. Again and again it makes a stream, loads a module,
 * launches a kernel that waits for the host (for 100 ms at most), behind it one of the
 * module, lets the first go on, waits, and destroys and unloads all of it. Its stack is
 * small. Prints how many of the waiting kernels waited for half of that or longer: in
 * the mock the launch between takes no time. With STREAMS, so many streams each launch a
 * kernel before, and in each round the first thread launches another kernel on one of
 * them and destroys the stream while it runs.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mock.h"

#define FIRST 3		/* 1 and 2 are the driver's default streams */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK (1024u << 10)
#else
#define STACK (64u << 10)
#endif

static struct mock_context *context;
static struct mock_function delay = { .name = "_Z5delayPVj", .regs = 16,
    .duration_ns = 100000000 };
static struct mock_function lasting = { .name = "_Z7lastingPf", .regs = 16,
    .duration_ns = 20000000 };
static unsigned long rounds, streams;
static _Atomic uint32_t next_stream = FIRST;
static _Atomic unsigned slow;

static uint64_t
monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
launch(const struct mock_function *f, uint32_t stream, bool delays)
{
	struct mock_launch l = { .function = f, .stream = stream,
	    .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .delays = delays };

	if (mock_kernel_launch(context, &l) != 0) {
		fprintf(stderr, "churn: a launch failed\n");
		_Exit(99);
	}
}

static uint32_t
stream_make(void)
{
	uint32_t n = atomic_fetch_add(&next_stream, 1);

	if (n >= MOCK_NUMBERS) {
		fprintf(stderr, "churn: too many streams\n");
		exit(2);
	}
	mock_stream_make(context, false);
	return n;
}

static void
compare(unsigned long thread, unsigned long n)
{
	struct mock_module *m = mock_module_open(context);
	struct mock_function *f = calloc(1, sizeof(*f));
	uint32_t stream = stream_make();
	uint64_t begin;

	if (f == NULL)
		abort();
	snprintf(f->name, sizeof(f->name), "_Z7kernel%luPf",
	    (thread + n) % 8);
	f->regs = 32;
	f->duration_ns = 5000;
	f->unloads = true;
	launch(f, stream, false);
	mock_stream_synchronize(context, stream);
	begin = monotonic_ns();
	launch(&delay, stream, true);
	launch(f, stream, false);
	mock_release(context, stream);
	if (monotonic_ns() - begin >= delay.duration_ns / 2)
		slow++;
	mock_stream_synchronize(context, stream);
	mock_module_close(context, m);
	memset(f, 0xa5, sizeof(*f));
	free(f);
	mock_stream_destroy(context, stream);
}

/* Destroys stream ${n} while a kernel runs on it. */
static void
abandon(uint32_t n)
{
	struct timespec t = { 0, 5000000 };

	launch(&lasting, n, false);
	nanosleep(&t, NULL);
	mock_stream_destroy(context, n);
}

static void *
work(void *cookie)
{
	unsigned long i, thread = (unsigned long)(uintptr_t)cookie;

	for (i = 0; i < rounds; i++) {
		if (thread == 0 && i < streams)
			abandon((uint32_t)i + FIRST);
		compare(thread, i);
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	unsigned long i, threads = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	const char *why = "";
	pthread_t thread[64];
	pthread_attr_t attr;

	if (threads < 1 || threads > 64) {
		fprintf(stderr, "usage: mock-churn THREADS ROUNDS [STREAMS]\n");
		return 2;
	}
	rounds = strtoul(argv[2], NULL, 10);
	streams = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	if (mock_init(&why) < 0)
		fprintf(stderr, "churn: %s\n", why);
	context = mock_context_create(0);
	for (i = 0; i < streams; i++)
		launch(&lasting, stream_make(), false);
	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, STACK) != 0)
		abort();
	for (i = 0; i < threads; i++)
		if (pthread_create(&thread[i], &attr, work,
		    (void *)(uintptr_t)i) != 0)
			abort();
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pthread_attr_destroy(&attr);
	mock_synchronize(context);
	mock_context_destroy(context);
	printf("slow %u\n", slow);
	return 0;
}
