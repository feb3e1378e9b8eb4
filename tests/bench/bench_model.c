/*
 * bench_model.c: how fast the model processes launches, and how much memory it
 * needs for them: bench-model [LAUNCHES]. 25 kernels on 4 streams, whose
 * records come in blocks, as CUPTI's buffers deliver them; a synchronisation
 * every 50 launches, a settle every million. Prints one line of JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "h200.h"
#include "model/model.h"

#define START 1700000000000000000ull
#define KERNELS 25u
#define QUEUES 4u
#define BLOCK 512u

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
must(int rc)
{

	if (rc != 0) {
		fprintf(stderr, "bench_model: no memory\n");
		exit(1);
	}
}

static void
define(struct model *m, uint64_t *sequence)
{
	struct record r = { .type = RECORD_HELLO };
	char name[32];
	uint32_t i;

	r.u.HELLO = (struct record_HELLO){ .protocol = WIRE_PROTOCOL,
	    .pid = 1, .start_ns = START, .now_ns = START,
	    .run = wire_str_of("0123456789abcdef0123456789abcdef") };
	must(model_feed(m, 1, (*sequence)++, &r));
	r.type = RECORD_DEVICE;
	r.u.DEVICE = (struct record_DEVICE){ H200_LIMITS,
	    .name = wire_str_of("bench"), .uuid = wire_str_of("bench") };
	must(model_feed(m, 1, (*sequence)++, &r));
	for (i = 0; i < KERNELS; i++) {
		snprintf(name, sizeof(name), "_Z8kernel%02uPf", i);
		r.type = RECORD_STRING;
		r.u.STRING = (struct record_STRING){ i + 1, wire_str_of(name) };
		must(model_feed(m, 1, (*sequence)++, &r));
		r.type = RECORD_SIGNATURE;
		r.u.SIGNATURE = (struct record_SIGNATURE){ .id = i,
		    .name = i + 1, .grid_x = 1024, .grid_y = 1, .grid_z = 1,
		    .block_x = 256, .block_y = 1, .block_z = 1, .regs = 32,
		    .carveout = 255 };
		must(model_feed(m, 1, (*sequence)++, &r));
	}
}

static void
launch(struct record *r, uint64_t i)
{
	uint64_t block = i / BLOCK, queue = block % QUEUES;
	/* The blocks of all queues cover the same time. */
	uint64_t slot = (block / QUEUES * BLOCK + i % BLOCK) * QUEUES + queue;
	uint64_t start = START + 1000000 + slot * 1500;

	r->type = RECORD_KERNEL;
	r->u.KERNEL = (struct record_KERNEL){
		.signature = (uint32_t)(i % KERNELS), .stream = (uint32_t)queue,
		.correlation = (uint32_t)i, .tid = 7, .start_ns = start,
		.end_ns = start + 1000 + i % 7 * 100,
		.launch_ns = start - 4000,
	};
}

static void
synchronise(struct record *r, uint64_t i)
{
	uint64_t end = START + 1000000 + i * 1500;

	r->type = RECORD_SYNC;
	r->u.SYNC = (struct record_SYNC){ .kind = SYNC_STREAM, .tid = 7,
	    .start_ns = end - 3000, .end_ns = end };
}

int
main(int argc, char **argv)
{
	uint64_t launches = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	uint64_t sequence = 0, begin, settle = 0, slowest = 0, t, i;
	struct model *m = model_new();
	const struct run *run;
	struct rusage usage;
	struct record r;
	double s;

	must(m == NULL);
	begin = now_ns();
	define(m, &sequence);
	for (i = 0; i < launches; i++) {
		launch(&r, i);
		must(model_feed(m, 1, sequence++, &r));
		if (i % 50 == 0) {
			synchronise(&r, i);
			must(model_feed(m, 1, sequence++, &r));
		}
		if (i % 1000000 == 999999) {
			t = now_ns();
			must(model_settle(m, false) == NULL);
			t = now_ns() - t;
			settle += t;
			slowest = t > slowest ? t : slowest;
		}
	}
	must((run = model_settle(m, true)) == NULL);
	s = (double)(now_ns() - begin - settle) / 1e9;
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"launches\": %llu, \"records_per_s\": %.0f, "
	    "\"peak_rss_mib\": %.1f, \"settle_slowest_ms\": %.2f, "
	    "\"kernels\": %zu, \"late\": %llu, \"busy_s\": %.3f}\n",
	    (unsigned long long)run->launches, (double)run->records / s,
	    (double)usage.ru_maxrss / 1024, (double)slowest / 1e6,
	    run->kernels, (unsigned long long)run->late,
	    (double)run->device[0].busy_ns / 1e9);
	model_free(m);
	return 0;
}
