/*
 * unit/rules_moved.c: findings about copies of one direction: at which line they are, of what
 * size those with the bytes are, and what else the host does for them.
 */
#include <math.h>
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define S (1000 * MS)
#define MB 1000000ull
#define GB (1000 * MB)
#define LOOKS 100
#define PY(f, n, l) { .file = f, .function = n, .line = l, .python = true }
#define UP { .module = "libcuda.so.1", .function = "cuMemcpyHtoDAsync_v2" }
#define DOWN { .module = "libcuda.so.1", .function = "cuMemcpyDtoHAsync_v2" }
#define COPY { .module = "libtorch_cpu.so",				\
	.function = "at::_ops::copy_::call(at::Tensor&, at::Tensor const&, bool)" }
#define VALUE { .module = "libtorch_cpu.so",				\
	.function = "at::_ops::_local_scalar_dense::call(at::Tensor const&)" }

static struct process python = { .python = true };
static struct look look[LOOKS];
static struct site_frame norm[] = { PY("/a/optim.py", "clip", 34), DOWN, VALUE };
static struct site_frame small[] = { PY("/a/data.py", "batches", 87),
	PY("/a/train.py", "main", 53), UP, COPY };
static struct site_frame large[] = { PY("/a/data.py", "batches", 86),
	PY("/a/train.py", "main", 53), UP, COPY };
static struct site_frame kernel[] = { { .module = "libtorch_cuda.so" } };
static struct site_frame gather[] = { PY("/a/data.py", "batches", 84),
	PY("/a/train.py", "main", 53) };
static struct site_frame step[] = { PY("/a/train.py", "main", 60) };

enum { NORM, SMALL, LARGE, KERNEL, SITES };
enum { AT_GATHER, AT_LARGE, AT_SMALL, AT_STEP, PLACES };

static struct site site[SITES], at[PLACES];

/* 1,000 batches of 27 MB, each with 160 kB, and numbers that are read back. Of 100 looks so
 * many fall at each of PLACES, those at the gather and the step while the GPU waits. */
static void
made_batches(struct made *m, const int *looks)
{
	int n = 0;

	made_again(m);
	made_kernel(m, "k", 10000, 200000);
	made_gaps(m, IDLE_HOST, 1000, 2 * MS);
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D, .src = MEMORY_PAGEABLE,
	    .dst = MEMORY_DEVICE, .async = true, .size_class = 24, .count = 1000,
	    .bytes = 27 * GB, .gpu_ns = 4 * S, .exposed_ns = 4e9, .ranges = 6,
	    .located = 1000 };
	m->copy[1] = m->copy[0];
	m->copy[1].size_class = 17;
	m->copy[1].bytes = 160 * MB;
	m->copy[1].gpu_ns = 7 * MS;
	m->copy[1].exposed_ns = 7e6;
	m->run.copies = 2;
	m->run.wall_ns = 10 * S;
	m->run.process = &python;
	m->run.processes = 1;
	site[NORM] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 8000, .frame = norm,
	    .frames = 3 };
	site[SMALL] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 740, .frame = small,
	    .frames = 4 };
	site[LARGE] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 725, .frame = large,
	    .frames = 4, .idle_ns = 2e9, .idle_gaps = 1000 };
	site[KERNEL] = (struct site){ .call = CALL_LAUNCH, .kernel = 1, .count = 10000,
	    .frame = kernel, .frames = 1 };
	m->run.site = site;
	m->run.sites = SITES;
	at[AT_GATHER] = (struct site){ .call = CALL_NONE, .frame = gather, .frames = 2 };
	at[AT_LARGE] = (struct site){ .call = CALL_NONE, .frame = large, .frames = 2 };
	at[AT_SMALL] = (struct site){ .call = CALL_NONE, .frame = small, .frames = 2 };
	at[AT_STEP] = (struct site){ .call = CALL_NONE, .frame = step, .frames = 1 };
	for (int i = 0; i < PLACES; i++)
		for (int k = 0; k < looks[i]; k++, n++)
			look[n] = (struct look){ .at_ns = (uint64_t)n * 90 * MS, .s = 0.09,
			    .gap = i == AT_GATHER || i == AT_STEP ? LOOK_GAP + 20 : 0,
			    .site = &at[i] };
	m->run.look = look;
	m->run.looks = (size_t)n;
}

static uint32_t
line_of(const struct finding *f)
{
	return f->site->frame[f->site->first].line;
}

/* The place is the line of the large copies, not of others as many, or of those back. */
MADE_TEST(test_place)
{
	static const int some[] = { 0, 40, 2, 20 }, few[] = { 0, 5, 1, 20 };
	struct site_frame launch[] = { PY("/a/data.py", "batches", 86) };
	const struct finding *f;

	made_batches(m, some);
	f = made_found(m, "pageable-host-memory");
	assert_int_equal(line_of(f), 86);
	assert_has(f->summary, "2,000 H2D copies, 1,000 of them of 27 MB with 99 % of the bytes, "
	    "at ");
	/* Too few looks: the line with more of them. */
	made_batches(m, few);
	assert_int_equal(line_of(made_found(m, "pageable-host-memory")), 87);
	/* Few copies at a line that launches kernels: the host is there for these. */
	made_batches(m, some);
	site[LARGE].count = 5;
	assert_int_equal(line_of(made_found(m, "pageable-host-memory")), 86);
	site[KERNEL].frame = launch;
	assert_int_equal(line_of(made_found(m, "pageable-host-memory")), 87);
	/* The host is there for longer than copies take: it waits for the work before. */
	made_batches(m, some);
	m->copy[0].gpu_ns = 1500 * MS;
	m->copy[0].exposed_ns = 1.5e9;
	assert_int_equal(line_of(made_found(m, "pageable-host-memory")), 87);
	/* None that way is known: no place, rather than a wrong one. */
	made_batches(m, some);
	site[SMALL] = site[LARGE] = site[NORM];
	assert_null(made_found(m, "pageable-host-memory")->site);
}

/* Copies of one size are told as before; those back are no numbers that are read. */
MADE_TEST(test_back)
{
	struct site_frame back[] = { PY("/a/train.py", "main", 70), DOWN, COPY };
	static const int none[] = { 0, 0, 0, 0 };
	const struct finding *f;

	made_batches(m, none);
	m->run.copies = 1;
	m->copy[0].kind = COPY_D2H;
	m->copy[0].src = MEMORY_DEVICE;
	m->copy[0].dst = MEMORY_PAGEABLE;
	site[SMALL].frame = back;
	site[SMALL].frames = 3;
	f = made_found(m, "pageable-host-memory");
	assert_int_equal(line_of(f), 70);
	assert_has(f->summary, "1,000 D2H copies of 27 MB at ");
}

/* The loop gathers its batches on the host: a data set that stays on the GPU saves that, too. */
MADE_TEST(test_gathered)
{
	static const int most[] = { 20, 40, 0, 5 }, none[] = { 0, 40, 0, 25 };
	const struct finding *f;

	made_batches(m, most);
	f = made_found(m, "pageable-host-memory");
	assert_has(f->advice, "where the batches are taken from a data set that fits into the "
	    "GPU's memory, keep it there and index it there");
	assert_true(f->saves_high_s > 4.5 && f->saves_s < 4);
	/* All that was copied has room. */
	m->device[0].limits.memory_bytes = 80 * GB;
	m->run.peak_memory_bytes = 10 * GB;
	assert_has(made_found(m, "pageable-host-memory")->advice, "(all that was copied would "
	    "fit)");
	m->run.peak_memory_bytes = 60 * GB;
	assert_lacks(made_found(m, "pageable-host-memory")->advice, "would fit");
	/* Few copies are no loop. */
	m->copy[0].count = 20;
	m->copy[1].count = 10;
	assert_lacks(made_found(m, "pageable-host-memory")->advice, "index it there");
	/* The host is elsewhere. */
	made_batches(m, none);
	f = made_found(m, "pageable-host-memory");
	assert_lacks(f->advice, "index it there");
	assert_true(f->saves_high_s < 4.1);
}
