/*
 * Rules about how work is split, queued and started, beyond what rules.c tests
 * for every rule.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/parameters.h"
#include "unit/advise.h"

#define MS 1000000ull
#define S (1000 * MS)

static size_t
count_of(const struct advice *a, const char *rule)
{
	size_t n = 0;

	for (size_t i = 0; i < a->findings; i++)
		n += strcmp(a->finding[i].rule, rule) == 0;
	return n;
}

/* Beside XLA copies are not traced: idle time is found all the same, and and says
 * that part of it may be copies. */
MADE_TEST(test_idle_beside_xla)
{
	const struct finding *f;
	struct advice *a;

	made_counters(m, made_kernel(m, "k", 10000, 200000), 0.9);
	made_gaps(m, IDLE_HOST, 40000, 50000);
	assert_int_not_equal(made_found(m, "gpu-idle-gaps")->confidence, CONF_LOW);
	m->run.refused = 1u << REFUSED_XLA;
	a = made_advised(m);
	f = made_finding(a, "gpu-idle-gaps");
	assert_int_equal(f->confidence, CONF_LOW);
	assert_non_null(strstr(f->summary, "copies were not traced"));
	assert_int_equal(made_verdict(a, "redundant-transfers")->state,
	    RULE_NOT_MEASURED);
	m->run.refused = 1u << REFUSED_COPIES;
	assert_int_equal(made_verdict(made_advised(m), "gpu-idle-gaps")->state,
	    RULE_NOT_MEASURED);
}

/* A program without launches: 10,000 calls that take a tenth of it. */
static void
fault_allocating_bare(struct made *m)
{
	m->call[0] = (struct call_class){ .call = CALL_MALLOC, .count = 5000,
	    .total_ns = 600 * MS, .hot_count = 4990, .hot_ns = 600 * MS };
	m->call[1] = (struct call_class){ .call = CALL_FREE, .count = 5000,
	    .total_ns = 400 * MS, .hot_count = 5000, .hot_ns = 400 * MS };
	m->run.calls = 2;
	m->run.state = RUN_FINISHED;
	m->run.allocations = 5000;
	m->run.peak_allocations = 500;
	m->run.idle_ns[IDLE_STARTUP] = 10 * S;
	m->run.idle_total_ns = 10 * S;
}

MADE_TEST(test_allocating_without_launches)
{
	static const char rule[] = "allocation-in-hot-path";
	struct advice *a = advised(fault_allocating_bare, m);
	const struct finding *f = &a->finding[0];

	assert_string_equal(f->rule, rule);
	assert_true(fabs(f->saves_s - 0.9) < 1e-6);
	assert_true(f->severity >= SEV_MEDIUM);
	/* All were alive at the same time: there is nothing to reuse. */
	m->run.peak_allocations = 5000;
	assert_int_equal(made_state(m, rule), RULE_CLEAN);
	/* It must be known that nothing was launched. */
	m->run.peak_allocations = 500;
	m->run.state = RUN_LIVE;
	assert_int_equal(made_state(m, rule), RULE_NOT_MEASURED);
	m->run.state = RUN_FINISHED;
	m->run.lost = 1;
	assert_int_equal(made_state(m, rule), RULE_NOT_MEASURED);
	m->run.lost = 0;
	m->run.refused = 1u << REFUSED_KERNELS;
	assert_int_equal(made_state(m, rule), RULE_NOT_MEASURED);
	m->run.refused = 0;
	m->call[2] = (struct call_class){ .call = CALL_LAUNCH, .count = 1 };
	m->run.calls = 3;
	assert_int_equal(made_state(m, rule), RULE_NOT_MEASURED);
}

/* Objects count as well as allocations. */
MADE_TEST(test_objects_without_launches)
{
	static const char rule[] = "allocation-in-hot-path";
	struct advice *a = advised(fault_allocating_bare, m);
	const struct finding *f;

	m->run.peak_allocations = 5000;
	m->call[1].call = CALL_CREATE_TEXTURE;
	m->run.objects = 5000;
	m->run.peak_objects = 5;
	f = made_found(m, rule);
	assert_true(fabs(f->saves_s - 0.4 * 4995 / 5000) < 1e-6);
	assert_has(f->summary, "at most 5,005 allocations");
	(void)a;
}

/* Pinning costs as much as one or two copies: it does not pay for a buffer that
 * is copied once; with ten copies a buffer more than half of the gain is left.
 * In a loop of many copies, successive buffers may be one, so that the cost
 * does not depend on how many places malloc returned. */
MADE_TEST(test_pinned_once)
{
	double one, ten, last;

	advised(fault_pageable, m);
	m->copy[0].located = m->copy[0].count;
	m->copy[0].ranges = 1;
	one = last = made_found(m, "pageable-host-memory")->saves_s;
	assert_true(one > 0.9 * 0.6);
	m->copy[0].ranges = m->copy[0].count / 10;
	ten = made_found(m, "pageable-host-memory")->saves_s;
	assert_true(fabs(ten - 0.9 * one) < 0.01 * one);
	for (uint64_t n = 1; n <= m->copy[0].count; n += 9) {
		double s;

		m->copy[0].ranges = n;
		s = made_found(m, "pageable-host-memory")->saves_s;
		assert_true(s <= last && s > last - 0.02 * one);
		last = s;
	}
	assert_true(fabs(last - 0.5 * one) < 0.01 * one);
	assert_true(made_found(m, "pageable-host-memory")->saves_low_s == 0);
	/* A few copies are no loop. */
	m->copy[0].count = m->copy[0].located = m->copy[0].ranges = 10;
	m->copy[0].bytes /= 100;
	m->copy[0].gpu_ns /= 100;
	m->copy[0].exposed_ns /= 100;
	m->run.wall_ns /= 100;
	m->run.idle_ns[IDLE_STARTUP] /= 100;
	assert_true(made_found(m, "pageable-host-memory")->saves_s == 0);
	assert_false(made_found(m, "pageable-host-memory")->worth_it);
}

/* Copies from the device at a seventh of the usual rate write to new memory pages: if
 * the destination is the same each time, all of the excess is saved, without the cost
 * of pages for each copy; if each has its own destination, the pages are needed. */
MADE_TEST(test_first_touch)
{
	const struct finding *f;
	double usual;

	advised(fault_pageable, m);
	m->copy[0].kind = COPY_D2H;
	m->copy[0].src = MEMORY_DEVICE;
	m->copy[0].dst = MEMORY_PAGEABLE;
	m->copy[0].located = m->copy[0].count;
	m->copy[0].ranges = 1;
	f = made_found(m, "pageable-host-memory");
	usual = f->saves_s;
	assert_lacks(f->advice, "written before");
	m->copy[0].gpu_ns *= 5;
	m->copy[0].exposed_ns *= 5;
	f = made_found(m, "pageable-host-memory");
	assert_has(f->advice, "its pages are then there");
	assert_true(fabs(f->saves_s - usual - 4 * 0.762) < 0.02);
	assert_true(f->saves_low_s > 1);
	m->copy[0].ranges = m->copy[0].count;
	f = made_found(m, "pageable-host-memory");
	assert_true(f->saves_low_s < 0.2);
	assert_true(f->saves_s > 0.4 * f->saves_high_s);
}

/* The host reads the result before it continues, so the copy cannot be hidden; but
 * the round trip is saved with the read: most of that is predicted, nothing for
 * certain, and the advice is to decide on the GPU. The larger the copies, the more
 * of them are data. Asynchronous copies that the host waits for are the same. */
MADE_TEST(test_result_needed)
{
	struct advice *a = advised(fault_blocking, m);
	double queued = made_finding(a, "synchronous-copies")->saves_s, last;
	const struct finding *f;

	m->copy[0].kind = COPY_D2H;
	m->copy[0].src = MEMORY_DEVICE;
	m->copy[0].dst = MEMORY_PINNED;
	m->copy[0].count = 10000;		/* 40 us after each */
	m->copy[0].gpu_ns = m->copy[0].exposed_ns = 0;
	m->copy[0].bytes = m->copy[0].count * 8;
	f = made_found(m, "synchronous-copies");
	assert_true(f->saves_s > 0.75 * 0.4 && f->saves_s < 0.85 * 0.4);
	assert_true(f->saves_low_s == 0);
	assert_true(f->saves_high_s >= 0.4);
	assert_has(f->advice, "to the GPU");
	last = f->saves_s;
	/* Without the copy there is no gap before it. */
	m->copy[0].idle_before_ns = m->run.idle_ns[IDLE_LAUNCH] = 100 * MS;
	m->copy[0].gpu_ns = 20 * MS;
	m->copy[0].exposed_ns = 20e6;
	f = made_found(m, "synchronous-copies");
	assert_true(f->saves_s > last + 0.75 * 0.12);
	assert_true(f->saves_s < last + 0.85 * 0.12);
	assert_has(f->summary, "100 ms in front of them");
	m->copy[0].idle_before_ns = m->run.idle_ns[IDLE_LAUNCH] = 0;
	m->copy[0].gpu_ns = m->copy[0].exposed_ns = 0;
	for (uint64_t bytes = 16; bytes <= 8192; bytes *= 2) {
		m->copy[0].bytes = m->copy[0].count * bytes;
		f = made_found(m, "synchronous-copies");
		assert_true(f->saves_s >= last && f->saves_s < last + 0.08);
		last = f->saves_s;
	}
	assert_true(last > 0.9 * 0.4 && last < 1.2 * queued);
	m->copy[0].bytes = m->copy[0].count * 8;
	m->copy[0].async = true;
	made_quiet(m, "synchronous-copies");
	m->copy[0].waits = m->copy[0].count;
	m->copy[0].waits_idle_ns = m->copy[0].idle_waited_ns;
	f = made_found(m, "synchronous-copies");
	assert_true(f->saves_s > 0.75 * 0.4 && f->saves_s < 0.85 * 0.4);
}

/* A Python loop that no longer reads a value has neither gap. */
MADE_TEST(test_result_needed_in_python)
{
	struct process python = { .python = true };
	double alone;

	advised(fault_blocking, m);
	m->run.process = &python;
	m->run.processes = 1;
	m->copy[0].kind = COPY_D2H;
	m->copy[0].src = MEMORY_DEVICE;
	m->copy[0].count = 10000;		/* 40 us after each */
	m->copy[0].gpu_ns = m->copy[0].exposed_ns = 0;
	m->copy[0].bytes = m->copy[0].count * 8;
	alone = made_found(m, "synchronous-copies")->saves_s;
	assert_true(alone > 0.65 * 0.4 && alone < 0.75 * 0.4);
	m->copy[0].idle_before_ns = m->run.idle_ns[IDLE_LAUNCH] = 100 * MS;
	alone = made_found(m, "synchronous-copies")->saves_s - alone;
	assert_true(alone > 0.65 * 0.1 && alone < 0.75 * 0.1);
}

/* Results have the place of a line that reads them, batches of one that copies them, though
 * a framework's thread waits more often. */
MADE_TEST(test_place_of_waits)
{
#define COPY(name, l) { { .file = "/a/run.py", .line = l, .python = true }, \
	{ .function = name, .module = "libcuda.so.1" } }
	struct site_frame read[] = COPY("cuMemcpyDtoHAsync_v2", 7),
	    batch[] = COPY("cuMemcpyHtoDAsync_v2", 3);
	struct site site[] = {
		{ .call = CALL_MEMCPY, .count = 9, .frame = read + 1, .frames = 1 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 4, .frame = batch, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 2, .frame = read, .frames = 2 },
	};

	advised(fault_blocking, m);
	m->run.site = site;
	m->run.sites = 3;
	assert_ptr_equal(made_found(m, "synchronous-copies")->site, &site[1]);
	m->copy[0].kind = COPY_D2H;
	m->copy[0].src = MEMORY_DEVICE;
	m->copy[0].dst = MEMORY_PINNED;
	m->copy[0].bytes = m->copy[0].count * 8;
	assert_ptr_equal(made_found(m, "synchronous-copies")->site, &site[2]);
	m->run.sites = 2;
	assert_ptr_equal(made_found(m, "synchronous-copies")->site, &site[0]);
}

/* A buffer that was uploaded again before the host could have rewritten it:
 * only a copy on the device that restores it remains. A buffer that may have
 * changed has no predicted gain; a few large ones count as much as many. */
MADE_TEST(test_uploaded_again)
{
	struct advice *a = advised(fault_staging_buffer, m);
	const struct finding *f = made_finding(a, "redundant-transfers");
	double all;

	assert_true(f->saves_s == 0 && f->saves_high_s > 0.1);
	m->resent[0].quick_count = m->resent[0].count;
	m->resent[0].quick_ns = m->resent[0].gpu_ns;
	m->resent[0].likely_count = (double)m->resent[0].count;
	m->resent[0].likely_ns = (double)m->resent[0].gpu_ns;
	m->resent[0].likely_bytes = (double)m->resent[0].bytes;
	f = made_found(m, "redundant-transfers");
	all = f->saves_high_s;
	assert_true(f->worth_it);
	assert_true(f->saves_s > 0.9 * all && f->saves_s < all);
	assert_true(f->saves_low_s > 0.7 * all);
	/* Three buffers in turn, with a copy back after each, stand for other data. */
	m->resent[0].ranges = 3;
	m->copy[0].async = true;
	m->copy[0].src = MEMORY_PINNED;
	m->device[0].turns = 2 * m->copy[0].count;
	f = made_found(m, "redundant-transfers");
	assert_true(f->saves_s == 0 && f->saves_high_s > 0.1);
	assert_has(f->gain_note, "take turns");
	m->device[0].turns = m->copy[0].count;	/* a few for each kernel */
	assert_true(made_found(m, "redundant-transfers")->saves_s > 0.9 * all);
	m->resent[0].count = m->resent[0].quick_count = 2;
	made_found(m, "redundant-transfers");
}

/* The place of copies to the GPU is a line that copies there, and of several the one in front
 * of which it waits longest, as the host makes there what it copies. */
MADE_TEST(test_uploaded_at)
{
#define TO_GPU { .function = "cuMemcpyHtoDAsync_v2", .module = "libcuda.so.1" }
	struct site_frame within[] = { { .function = "cuMemcpyDtoDAsync_v2",
	    .module = "libcuda.so.1" } };
	struct site_frame batch[] = { { .file = "/a/run.py", .function = "f", .line = 7,
	    .python = true }, TO_GPU };
	struct site_frame volume[] = { { .file = "/a/net.py", .function = "f", .line = 9,
	    .python = true }, TO_GPU };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 900, .frame = within, .frames = 1 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 90, .frame = batch, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 30, .frame = volume, .frames = 2 } };

	fault_staging_buffer(m);
	m->run.site = site;
	m->run.sites = 3;
	assert_ptr_equal(made_found(m, "redundant-transfers")->site, &site[1]);
	site[1].idle_ns = 1 * MS;
	site[2].idle_ns = 600 * MS;
	site[1].idle_gaps = site[2].idle_gaps = 30;
	assert_int_equal(made_found(m, "redundant-transfers")->site->frame[0].line, 9);
}

/* A window that slides over host memory: what was in it before need not be sent, unless
 * the host may have written it anew. */
MADE_TEST(test_slid_window)
{
	struct resent *r = &m->resent[0];
	const struct finding *f;
	double all;

	fault_staging_buffer(m);
	r->kind = RESENT_SLID;
	f = made_found(m, "redundant-transfers");
	all = f->saves_high_s;
	assert_true(f->saves_s == 0 && f->confidence == CONF_LOW);
	r->quick_count = r->count;
	r->quick_ns = r->gpu_ns;
	r->likely_count = (double)r->count;
	r->likely_ns = (double)r->gpu_ns;
	r->likely_bytes = (double)r->bytes;
	f = made_found(m, "redundant-transfers");
	assert_true(f->saves_s > 0.95 * all && f->saves_low_s > 0.7 * all);
	assert_int_equal(f->confidence, CONF_MEDIUM);
	assert_has(f->advice, "copy only what is new in the window");
	assert_has(f->good_code, "d_ring");
	/* No ring of buffers: it is sent without blocking, and a result goes back. */
	m->copy[0].async = true;
	m->copy[0].src = MEMORY_PINNED;
	m->device[0].turns = 2 * m->copy[0].count;
	assert_true(made_found(m, "redundant-transfers")->saves_s > 0.95 * all);
}

/* Where the bytes were compared, that decides, not how soon the copies came. */
MADE_TEST(test_resent_compared)
{
	struct advice *a = advised(fault_staging_buffer, m);
	const struct finding *f = made_finding(a, "redundant-transfers");
	double all;

	assert_has(f->summary, "too soon for the host to have written all");
	assert_lacks(f->summary, "unmodified");
	m->resent[0].kind = RESENT_SAME;
	m->resent[0].comparisons = 4;
	m->resent[0].pages = m->resent[0].equal_pages = 4096;
	m->resent[0].equal_ns = (double)m->resent[0].gpu_ns;
	f = made_found(m, "redundant-transfers");
	all = f->saves_high_s;
	assert_int_equal(f->confidence, CONF_MEDIUM);
	assert_true(f->saves_s > 0.9 * all && f->saves_low_s > 0.7 * all);
	assert_has(f->summary, "all 4 copies that were compared carried the same "
	    "bytes as the one before (4,096 pages); host data was copied");
	assert_has(f->limiter, "the bytes are there already");
	m->resent[0].count = 2;
	made_found(m, "redundant-transfers");
	m->resent[0].count = 400;
	/* All of them queued: they stand for other data. */
	m->resent[0].equal_ns = 0;
	m->resent[0].queued_count = m->resent[0].count;
	f = made_found(m, "redundant-transfers");
	assert_true(f->saves_s == 0);
	assert_has(f->gain_note, "stands for other data");
	m->resent[0].kind = RESENT_PART;
	m->resent[0].queued_count = 0;
	m->resent[0].equal_pages = 4000;
	m->resent[0].equal_ns = (double)m->resent[0].gpu_ns * 4000 / 4096;
	f = made_found(m, "redundant-transfers");
	assert_int_equal(f->confidence, CONF_LOW);
	assert_int_equal(f->severity, SEV_LOW);
	assert_true(f->saves_low_s == 0);
	assert_true(f->saves_s > 0.9 * all && f->saves_s < all);
	assert_has(f->summary, "97 % of the bytes were the same each time "
	    "(4 copies compared, 4,096 pages); host data was copied");
	assert_string_equal(f->advice, "copy only what the host changed");
	m->resent[0].equal_pages = 4095;
	f = made_found(m, "redundant-transfers");
	assert_has(f->summary, "more than 99 % of the bytes");
}

/* The same content from other addresses: as sure as the same bytes from the same ones; what the
 * device can write itself is told apart, in the framework's words, too. */
MADE_TEST(test_resent_alike)
{
	struct site_frame often[] = { { .file = "/a/run.py", .function = "f", .line = 7,
	    .python = true }, TO_GPU };
	struct site_frame torch[] = { { .file = "/a/net.py", .function = "f", .line = 9,
	    .python = true }, { .module = "libtorch_cpu.so" }, TO_GPU };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 900, .frame = often, .frames = 2 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 3, .frame = torch, .frames = 3 } };
	struct resent *r = &m->resent[0];
	const struct finding *f;

	fault_staging_buffer(m);
	r->kind = RESENT_ALIKE;
	r->comparisons = 4;
	r->pages = r->equal_pages = 12800;
	r->size = 13107200;
	r->equal_ns = (double)r->gpu_ns;
	f = made_found(m, "redundant-transfers");
	assert_int_equal(f->confidence, CONF_MEDIUM);
	assert_true(f->saves_s > 0.9 * f->saves_high_s && f->saves_low_s > 0.7 * f->saves_high_s);
	assert_has(f->summary, "all 4 copies that were compared carried the same bytes as an "
	    "earlier one (12,800 pages); such copies, most of them of 13.1 MB, were made 400 "
	    "times");
	assert_has(f->advice, "copy once, in front of the loop");
	/* As many as are alike. */
	r->equal_ns = (double)r->gpu_ns / 2;
	assert_true(made_found(m, "redundant-transfers")->saves_s < 0.55 * f->saves_high_s);
	r->equal_ns = (double)r->gpu_ns;
	r->zero_pages = r->pages;
	f = made_found(m, "redundant-transfers");
	assert_has(f->summary, "carried the same zeros");
	assert_has(f->advice, "cudaMemsetAsync in the place of the copy");
	assert_has(f->good_code, "cudaMemsetAsync");
	/* The place where they were compared, not the one with most copies of all sizes. */
	m->run.site = site;
	m->run.sites = 2;
	assert_ptr_equal(made_found(m, "redundant-transfers")->site, &site[0]);
	r->site = &site[1];
	f = made_found(m, "redundant-transfers");
	assert_ptr_equal(f->site, &site[1]);
	assert_has(f->advice, "x.new_zeros(shape)");
	r->zero_pages = 0;
	assert_has(made_found(m, "redundant-transfers")->advice, "register_buffer");
	/* All of them queued: they stand for other data. */
	r->equal_ns = 0;
	r->queued_count = r->count;
	r->queued_ns = r->gpu_ns;
	f = made_found(m, "redundant-transfers");
	assert_true(f->saves_s == 0);
	assert_has(f->gain_note, "stands for other data");
}

/* A finding about bytes that changed in part comes after one that is surer of the same
 * time, even if that one saves less. */
MADE_TEST(test_resent_part_comes_last)
{
	const struct advice *a = advised(fault_pageable, m);

	assert_string_equal(a->finding[0].rule, "pageable-host-memory");
	m->resent[0] = (struct resent){ .kind = RESENT_PART, .ranges = 1,
	    .count = m->copy[0].count, .bytes = m->copy[0].bytes,
	    .gpu_ns = m->copy[0].gpu_ns, .comparisons = 4, .pages = 4096,
	    .equal_pages = 4000, .equal_ns = (double)m->copy[0].gpu_ns };
	m->run.resents = 1;
	a = made_advised(m);
	assert_string_equal(a->finding[0].rule, "pageable-host-memory");
	m->resent[0].kind = RESENT_SAME;
	a = made_advised(m);
	assert_string_equal(a->finding[0].rule, "redundant-transfers");
}

/* The gain depends on what could run at the same time, not on how long copies
 * and kernels are; pageable buffers that are copied once cannot overlap. */
MADE_TEST(test_overlap_possible)
{
	struct advice *a = advised(fault_taking_turns, m);
	double all = made_finding(a, "no-copy-compute-overlap")->saves_s;

	m->device[0].cycle_ns /= 2;
	assert_true(fabs(made_found(m, "no-copy-compute-overlap")->saves_s - all
	    / 2) < 0.01 * all);
	/* Called early, they wait for the one buffer. */
	m->device[0].early_ns = m->device[0].cycle_ns;
	assert_has(made_found(m, "no-copy-compute-overlap")->advice,
	    "a buffer of its own");
	m->device[0].early_ns = 0;
	assert_has(made_found(m, "no-copy-compute-overlap")->advice,
	    "cut the data into chunks");
	m->copy[0].src = MEMORY_PAGEABLE;
	m->copy[0].located = m->copy[0].ranges = m->copy[0].count;
	made_quiet(m, "no-copy-compute-overlap");
	m->copy[0].src = MEMORY_PINNED;
	m->device[0].cycle_ns = m->device[0].busy_ns / 20;
	made_quiet(m, "no-copy-compute-overlap");
}

/* Copies that are not waited for lengthen the run as long as the host issues them. */
MADE_TEST(test_small_copies_issued)
{
	struct call_class call = { .call = CALL_MEMCPY_ASYNC, .count = 200000,
	    .total_ns = 1200 * MS };
	struct advice *a = advised(fault_small_copies, m);
	double waited = made_finding(a, "many-small-copies")->saves_s;

	m->copy[0].exposed_ns = 20e6;
	m->device[0].copy_ns = 400 * MS;
	assert_true(made_found(m, "many-small-copies")->saves_s < 0.2 * waited);
	m->run.call = &call;
	m->run.calls = 1;
	a = made_advised(m);
	assert_true(made_finding(a, "many-small-copies")->saves_s >
	    0.7 * waited);
	assert_true(made_finding(a, "many-small-copies")->saves_s < waited);
	assert_true(a->together_s <= waited);
}

/* A kernel after many copies is not a launch sequence. */
MADE_TEST(test_copies_no_graph)
{
	struct advice *a = advised(fault_launch_bound, m);

	assert_non_null(made_finding(a, "launch-bound-graph-candidate"));
	m->sequence[0].gaps *= 3;
	made_quiet(m, "launch-bound-graph-candidate");
}

/* If the host takes longer still, the GPU waits for launches even after kernels
 * of ten launch costs; otherwise kernels of two launch costs follow each other
 * without waiting. In between the predicted gain changes in small steps. */
MADE_TEST(test_graph_of_long_kernels)
{
	struct advice *a = advised(fault_launch_bound, m);
	double last = made_finding(a, "launch-bound-graph-candidate")->saves_s;
	double gap_ns = 1200e6 / 400000, s;
	const struct finding *f;

	m->sequence[0].kernel_ns = 400000ull * 25000;	/* of 2.5 us a launch */
	m->sequence[0].idle_ns = 400000ull * 12000;
	m->run.wall_ns *= 2;
	m->run.idle_ns[IDLE_LAUNCH] = m->sequence[0].idle_ns;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_true(f->saves_s > 0.5 * 4.8 && f->saves_s < 4.8);
	for (uint64_t k = 2000; k <= 20000; k += 500) {
		m->sequence[0].kernel_ns = 400000 * k;
		m->sequence[0].idle_ns = 400000 * (uint64_t)gap_ns;
		m->run.idle_ns[IDLE_LAUNCH] = m->sequence[0].idle_ns;
		f = made_finding(made_advised(m),
		    "launch-bound-graph-candidate");
		s = f != NULL ? f->saves_s : 0;
		assert_true(s <= last + 1e-9 && s > last - 0.1);
		last = s;
	}
	m->sequence[0].kernel_ns = 400000ull * 6000;
	m->sequence[0].idle_ns = 400000ull * 1000;	/* back to back */
	made_quiet(m, "launch-bound-graph-candidate");
}

/* A library that is called repeatedly for little work has a batched call. */
MADE_TEST(test_batched_calls)
{
	static const char rule[] = "launch-bound-graph-candidate";
	struct advice *a = advised(fault_launch_bound, m);
	double hidden = 0.9 * made_kernel_s(&m->kernel[0]), high;

	assert_has(made_finding(a, rule)->advice, "cudaGraphLaunch");
	m->kernel[0].exposed_ns = 0.1 * (double)m->kernel[0].total_ns;
	high = made_found(m, rule)->saves_high_s;
	m->kernel[0].name = "void vector_fft<128u>(kernel_arguments_t<float>)";
	m->kernel[0].shape.grid_x = 1;
	assert_has(made_found(m, rule)->advice, "cufftPlanMany");
	/* At best all of them take as long as one, which the host's calls hid. */
	assert_true(made_found(m, rule)->saves_high_s > high + 0.9 * hidden);
	m->kernel[0].shape.grid_x = 132;	/* which fills the GPU */
	assert_lacks(made_found(m, rule)->advice, "cufftPlanMany");
}

/* A graph saves the time that an interpreter needs for each launch; it may not
 * save other work of the host between launches. */
MADE_TEST(test_graph_beyond_launching)
{
	struct process python = { .python = true };
	struct advice *a = advised(fault_launch_bound, m);
	double native, framework;

	m->run.wall_ns *= 2;
	m->sequence[0].idle_ns = 400000ull * 20000;
	m->run.idle_ns[IDLE_LAUNCH] = m->sequence[0].idle_ns;
	native = made_found(m, "launch-bound-graph-candidate")->saves_s;
	m->run.process = &python;
	m->run.processes = 1;
	a = made_advised(m);
	framework = made_finding(a, "launch-bound-graph-candidate")->saves_s;
	assert_has(made_finding(a, "launch-bound-graph-candidate")->advice,
	    "torch");
	assert_true(native < 0.75 * framework && native > 0.5 * framework);
}

/* The host waits in cudaFree while the GPU works: that counts if the GPU waits
 * for the host elsewhere, but not if the host waits again right after. */
MADE_TEST(test_allocating_blocks)
{
	struct advice *a = advised(fault_allocating, m);
	const struct finding *f = made_finding(a, "allocation-in-hot-path");
	struct call_class before;
	double back;

	assert_true(fabs(f->saves_s - 0.5) < 1e-6);
	m->run.idle_ns[IDLE_LAUNCH] = 60 * MS;
	m->run.idle_total_ns += 60 * MS;
	f = made_found(m, "allocation-in-hot-path");
	assert_true(fabs(f->saves_s - 0.56) < 1e-6);
	assert_true(f->saves_high_s >= f->saves_s);
	/* If the GPU is idle in all of it, each call also has a round trip. */
	before = m->call[0];
	m->call[0].call = CALL_FREE;
	m->call[0].hot_ns = m->call[0].hot_idle_ns;
	back = (double)m->call[0].hot_count * 7.3e-6;
	f = made_found(m, "allocation-in-hot-path");
	assert_true(back < 0.06);
	assert_true(fabs(f->saves_s - 0.5 - back) < 1e-6);
	m->call[0] = before;
	m->sync[0] = (struct sync_class){ .call = CALL_STREAM_SYNC,
	    .count = 5000 };
	m->run.syncs = 1;
	f = made_found(m, "allocation-in-hot-path");
	assert_true(fabs(f->saves_s - 0.5) < 1e-6);
}

/* Texture objects are made again and again for memory that stays: all but one of them
 * are spared, and none of the allocations. */
MADE_TEST(test_allocating_objects)
{
	static const char rule[] = "allocation-in-hot-path";
	struct advice *a = advised(fault_allocating, m);
	const struct finding *f;

	m->run.allocations = m->run.peak_allocations = 20;
	assert_int_equal(made_state(m, rule), RULE_CLEAN);
	m->call[0].call = CALL_CREATE_TEXTURE;
	m->run.objects = 5001;
	m->run.peak_objects = 1;
	f = made_found(m, rule);
	assert_true(fabs(f->saves_s - 0.5 * 5000 / 5001) < 1e-6);
	assert_has(f->advice, "cudaMemcpy2DToArrayAsync");
	assert_has(f->location, "cudaCreateTextureObject");
	m->call[0].call = CALL_FREE_ARRAY;
	assert_int_equal(made_state(m, rule), RULE_CLEAN);
	m->run.allocations = 5020;
	m->run.peak_allocations = 21;
	assert_has(made_found(m, rule)->advice, "cudaMemcpy2DToArrayAsync");
	m->run.objects = m->run.peak_objects = 5001;
	m->call[0].call = CALL_CREATE_SURFACE;
	assert_int_equal(made_state(m, rule), RULE_CLEAN);
	(void)a;
}

/* Each release waits for the kernels of all streams, which then take turns. */
MADE_TEST(test_allocating_serialises)
{
	static const char rule[] = "allocation-in-hot-path";
	struct advice *a = advised(fault_allocating, m);
	double before = made_finding(a, rule)->saves_s;
	const struct finding *f;

	m->device[0].released_ns = 0.1 * (double)m->kernel[0].total_ns;
	m->device[0].released_streams = 8;
	f = made_found(m, rule);
	assert_true(fabs(f->saves_s - before - 0.08 *
	    made_kernel_s(&m->kernel[0])) < 1e-6);
	assert_has(f->summary, "8 of them take turns");
}

/* The advice says if the loop cannot be captured as it is. */
MADE_TEST(test_graph_of_allocations)
{
	fault_launch_bound(m);
	m->sequence[0].allocations = 20000;
	assert_has(made_found(m, "launch-bound-graph-candidate")->gain_note,
	    "cudaFree");
}

/* A graph of several steps requires that the host does not wait in between. */
MADE_TEST(test_graph_of_waits)
{
	static const char rule[] = "launch-bound-graph-candidate";
	struct advice *a = advised(fault_launch_bound, m);

	assert_lacks(made_finding(a, rule)->advice, "waits");
	m->sequence[0].syncs = m->sequence[0].repeats - 1;
	assert_has(made_found(m, rule)->advice, "waits");
}

/* A function that is launched with many grids is one finding, with the total gain. */
MADE_TEST(test_relaunch_shapes)
{
	static const char rule[] = "relaunch-for-grid-sync";
	struct advice *a = advised(fault_relaunched, m);
	double one = made_finding(a, rule)->saves_s;
	struct kernel *k;

	k = made_kernel(m, m->kernel[0].mangled, 400000, 2000);
	k->shape.grid_x = 50;
	k->next = k->id;
	k->next_count = 399999;
	m->sequence[1] = m->sequence[0];
	m->sequence[1].kernel[0] = k->id;
	m->run.sequences = 2;
	m->run.idle_ns[IDLE_LAUNCH] *= 2;
	m->run.idle_total_ns += 1200 * MS;
	a = made_advised(m);
	assert_int_equal(count_of(a, rule), 1);
	assert_true(made_finding(a, rule)->saves_s > 1.9 * one);
	assert_has(made_finding(a, rule)->location, "50");
	assert_has(made_finding(a, rule)->summary, "800,000");
	k->mangled = "_Z5otherPf";
	a = made_advised(m);
	assert_int_equal(count_of(a, rule), 2);
}

/* Launches that do not need each other's results can be one grid, which fills the
 * GPU: at best their own time is saved, too, though the host's launches hid it. */
MADE_TEST(test_relaunch_at_once)
{
	static const char rule[] = "relaunch-for-grid-sync";
	struct advice *a = advised(fault_relaunched, m);
	double all = made_kernel_s(&m->kernel[0]), wide, mid;

	m->kernel[0].exposed_ns = 0.05 * (double)m->kernel[0].total_ns;
	a = made_advised(m);
	wide = made_finding(a, rule)->saves_high_s;
	mid = made_finding(a, rule)->saves_s;
	m->kernel[0].shape.grid_x = 10;
	a = made_advised(m);
	assert_true(made_finding(a, rule)->saves_high_s > 1.2 + 0.85 * all);
	assert_true(made_finding(a, rule)->saves_high_s <= 1.2 + all + 1e-9);
	assert_true(wide < made_finding(a, rule)->saves_high_s);
	assert_true(fabs(made_finding(a, rule)->saves_s - mid) < 1e-9);
}

/* Between two waits the host only launches: the round trip is saved even if there is
 * too little work to hide it; launches that the work is too short to hide remain. */
MADE_TEST(test_sync_round_trip)
{
	static const char rule[] = "device-sync-overuse";
	double launches;

	made_kernel(m, "_Z6rotatePf", 100000, 1000);
	made_gaps(m, IDLE_AFTER_SYNC, 100000, 10000);
	m->sync[0] = (struct sync_class){ .call = CALL_DEVICE_SYNC,
	    .count = 100000, .idle_after_ns = S, .followed = 100000 };
	m->run.syncs = 1;
	m->run.idle_total_ns = m->run.wall_ns - 100 * MS;
	/* 0.1 s of work, and 0.73 s of round trips in 1 s of gaps, of which 0.1 s is
	 * between any two kernels: 0.17 s of the host remain, besides its launches. */
	launches = (double)m->run.launches * m->run.ceilings->launch_s;
	assert_true(fabs(made_found(m, rule)->saves_s - (0.9 + 0.1 - 0.17 -
	    launches)) < 0.01);
	/* Work that is long enough also hides the launches. */
	m->run.idle_total_ns = m->run.wall_ns - S;
	assert_true(fabs(made_found(m, rule)->saves_s - 0.9) < 0.01);
}

/* By whatever call the host waits, each wait has its round trip; the host's
 * computation after it does not count. */
MADE_TEST(test_sync_any)
{
	static const char rule[] = "device-sync-overuse";
	struct advice *a = advised(fault_syncing, m);
	double one = made_finding(a, rule)->saves_s;

	m->sync[0].call = CALL_EVENT_SYNC;
	m->sync[1] = m->sync[0];
	m->sync[1].call = CALL_MEMCPY;
	m->run.syncs = 2;
	assert_true(fabs(made_found(m, rule)->saves_s - one) < 1e-9);
	assert_has(made_found(m, rule)->location, "cudaEventSynchronize");
	assert_has(made_found(m, rule)->advice, "pair");
	m->sync[1].call = CALL_STREAM_SYNC;
	m->sync[1].idle_after_ns += MS;
	made_gaps(m, IDLE_AFTER_SYNC, 10000, 40000);
	assert_true(made_found(m, rule)->saves_s > 1.9 * one);
	assert_has(made_found(m, rule)->location,
	    "cudaStreamSynchronize and the like");
	/* Of 200 us a wait, most is the host's computation. */
	m->run.syncs = 1;
	m->sync[0].count = m->sync[0].followed = 5000;
	m->sync[0].idle_after_ns = S;
	memset(m->run.gap, 0, sizeof(m->run.gap));
	m->run.idle_gaps = 0;
	made_gaps(m, IDLE_AFTER_SYNC, 5000, 200000);
	assert_int_equal(made_state(m, rule), RULE_CLEAN);
	assert_true(made_found(m, "gpu-idle-gaps")->worth_it);
}

/* Nine allocations in a loop cost nearly as much as ten. */
MADE_TEST(test_allocating_a_little)
{
	struct advice *a = advised(fault_allocating, m);
	double last = made_finding(a, "allocation-in-hot-path")->saves_s;

	for (uint64_t n = 10; n >= 5; n--) {
		const struct finding *f;
		double s;

		m->call[0].hot_count = n;
		f = made_finding(made_advised(m), "allocation-in-hot-path");
		s = f != NULL ? f->saves_s : 0;
		assert_true(s > last - 0.11 && (n == 10 ? s == last :
		    s < last));
		last = s;
	}
	assert_true(last == 0);
	/* Our own measuring does not reduce the share. */
	m->call[0].hot_count = 5000;
	m->call[0].hot_ns = m->call[0].hot_idle_ns = 60 * MS;
	m->run.wall_ns += 20 * S;
	m->run.idle_overhead_ns = 20 * S;
	m->run.idle_total_ns += 20 * S;
	made_found(m, "allocation-in-hot-path");
}

/* A caching allocator that grew in the first step has nothing to reuse. */
MADE_TEST(test_allocating_to_keep)
{
	static const char rule[] = "allocation-in-hot-path";

	fault_allocating(m);
	m->run.allocations = 5000;
	m->run.peak_allocations = 5;
	made_found(m, rule);
	m->run.peak_allocations = 5000;
	made_quiet(m, rule);
}

/* A program that launches from Python does not call cudaStreamBeginCapture. */
MADE_TEST(test_graph_from_python)
{
	struct site_frame frame = { .function = "step", .file = "train.py",
	    .line = 3, .python = true };
	struct advice *a = advised(fault_launch_bound, m);
	const struct finding *f;
	struct site site = { .call = CALL_LAUNCH, .count = 1, .frame = &frame,
	    .frames = 1 };

	f = made_finding(a, "launch-bound-graph-candidate");
	assert_has(f->advice, "cudaStreamBeginCapture");
	site.kernel = m->run.sequence[0].kernel[0];
	m->run.site = &site;
	m->run.sites = 1;
	f = made_found(m, "launch-bound-graph-candidate");
	assert_has(f->advice, "torch");
	assert_lacks(f->advice, "cudaStreamBeginCapture");
}

/* The longest of three passes remains: two of three reads are saved. */
MADE_TEST(test_fusion_gain)
{
	struct advice *a = advised(fault_three_passes, m);
	const struct finding *f = made_finding(a, "kernel-fusion-candidate");
	double two = made_kernel_s(&m->kernel[0]) +
	    made_kernel_s(&m->kernel[1]);

	assert_ptr_equal(f, &a->finding[0]);
	assert_string_equal(f->where, "_Z4meanPf + _Z5scalePf + _Z4normPf");
	assert_int_equal(f->confidence, CONF_MEDIUM);
	assert_true(f->saves_s > 0.75 * two && f->saves_s < two + 0.04);
	assert_true(f->saves_low_s > 0.3 * two);
	assert_true(fabs(f->saves_high_s - two - 0.04) < 1e-6);
	assert_true(a->together_s <= f->saves_high_s + 1e-9);
}

/* Two shapes of the first kernels, one of the last: one finding. */
MADE_TEST(test_fusion_shapes)
{
	struct advice *a;
	const struct finding *f;
	double one;

	a = advised(fault_three_passes, m);
	one = made_finding(a, "kernel-fusion-candidate")->saves_s;
	for (int i = 0; i < 2; i++) {
		struct kernel *k = &m->kernel[m->run.kernels];

		*k = m->kernel[i];
		k->id = (uint32_t)++m->run.kernels;
		k->shape.block_x = 512;
	}
	m->kernel[3].next = 5;
	m->kernel[4].next = 3;
	m->kernel[2].launches *= 2;
	a = made_advised(m);
	f = made_finding(a, "kernel-fusion-candidate");
	assert_int_equal(count_of(a, "kernel-fusion-candidate"), 1);
	assert_true(f->saves_s > 1.9 * one && f->saves_s < 2.1 * one);
	assert_has(f->summary, "40,000 times");
	/* A kernel that mostly follows something else is not part of it. */
	m->kernel[2].launches *= 2;
	f = made_found(m, "kernel-fusion-candidate");
	assert_string_equal(f->where, "_Z4meanPf + _Z5scalePf");
}

MADE_TEST(test_fusion_handover)
{
	struct advice *a = advised(fault_handed_over, m);
	const struct finding *f = made_finding(a, "kernel-fusion-candidate");
	double one = made_kernel_s(&m->kernel[0]);

	assert_non_null(f);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->severity <= SEV_MEDIUM);
	assert_true(f->saves_s > 0.1 * one && f->saves_s < one);
	assert_true(f->saves_high_s > f->saves_s);
}

/* Two of six passes over DRAM are needed; in a loop of such kernels one is the
 * first. */
MADE_TEST(test_fusion_in_place)
{
	struct advice *a = advised(fault_own_elements, m);
	const struct finding *f = made_finding(a, "kernel-fusion-candidate");
	double all = 3 * made_kernel_s(&m->kernel[0]);

	assert_non_null(f);
	assert_string_equal(f->where, "_Z5scalePf + _Z5shiftPf + _Z5clampPf");
	assert_has(f->summary, "touches element i alone");
	assert_true(f->saves_s > 0.4 * all && f->saves_s < 0.6 * all);
	assert_true(f->saves_high_s > 0.6 * all);
	/* Each needs a neighbour's element. */
	a = advised(fault_neighbours, m);
	assert_null(made_finding(a, "kernel-fusion-candidate"));
}

/* A stencil, a kernel and one twice, of which each thread goes on with what it stored;
 * of the stencil's loads others' are part, so that it can only be the first. */
MADE_TEST(test_fusion_of_step)
{
	struct advice *a = advised(fault_step, m);
	const struct finding *f = made_finding(a, "kernel-fusion-candidate");
	double each = made_kernel_s(&m->kernel[0]);

	assert_non_null(f);
	assert_string_equal(f->where,
	    "_Z5scalePf + _Z5shiftPf + _Z5clampPf + _Z5clampPf");
	assert_int_equal(f->confidence, CONF_MEDIUM);
	assert_true(f->saves_s > each && f->saves_s < 2.5 * each);
	/* The host waits in each step, and could read managed memory there. */
	m->sequence[0].syncs = m->sequence[0].repeats;
	assert_non_null(made_finding(made_advised(m), "kernel-fusion-candidate"));
	m->run.peak_host_bytes = 1;
	assert_null(made_finding(made_advised(m), "kernel-fusion-candidate"));
	m->run.peak_host_bytes = m->sequence[0].syncs = 0;
	/* In more than a tenth of the steps something is copied between launches. */
	for (int i = 0; i < 4; i++)
		m->sequence[0].moved[i] = m->sequence[0].repeats / 10 + 1;
	assert_null(made_finding(made_advised(m), "kernel-fusion-candidate"));
	memset(m->sequence[0].moved, 0, sizeof(m->sequence[0].moved));
	/* The second begins a chain of its own: the two launches of the third and the
	 * first. */
	a = advised(fault_step_of_neighbours, m);
	f = made_finding(a, "kernel-fusion-candidate");
	assert_true(f == NULL || strstr(f->where, "scalePf + _Z5shiftPf") == NULL);
}

/* Eight steps of a kernel that only changes its threads' own elements in one launch;
 * four, where the launches may take turns with several arrays, or where no more follow
 * each other. */
MADE_TEST(test_fusion_of_state)
{
	struct advice *a = advised(fault_state, m);
	const struct finding *f = made_finding(a, "kernel-fusion-candidate");
	double all = made_kernel_s(&m->kernel[0]);

	assert_non_null(f);
	assert_int_equal(f->confidence, CONF_MEDIUM);
	assert_has(f->advice, "loop over them inside the kernel");
	assert_true(f->saves_s > 0.7 * all && f->saves_s < 0.95 * all);
	assert_true(f->saves_low_s > 0.2 * all);
	/* Without counters the code tells what a launch moves. */
	made_again(m);
	fault_state(m);
	m->kernel[0].skip = SKIP_PERMISSION;
	for (int i = 0; i < METRIC_COUNT; i++)
		m->kernel[0].metric[i] = NAN;
	m->kernel[0].shape.grid_x = 1 << 16;	/* two elements of 2²⁴ threads */
	f = made_found(m, "kernel-fusion-candidate");
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->saves_s > 0.6 * all && f->saves_s < 0.95 * all);
	a = advised(fault_state, m);
	/* The host needs the elements after each step, or brings new ones. */
	m->run.copy = (struct copy_class[]){ { .count =
	    m->kernel[0].launches / 5 } };
	m->run.copies = 1;
	assert_null(made_finding(made_advised(m), "kernel-fusion-candidate"));
	/* Four follow each other, then comes something else, and a copy. */
	m->kernel[0].next_count = m->kernel[0].launches / 4 * 3;
	m->run.copy[0].count = m->kernel[0].launches / 4;
	f = made_found(m, "kernel-fusion-candidate");
	assert_true(f->saves_s > 0.5 * all && f->saves_s < 0.78 * all);
	m->run.copy[0].count = m->kernel[0].launches;
	assert_null(made_finding(made_advised(m), "kernel-fusion-candidate"));
	/* A measurement that repeats a kernel a dozen times. */
	m->run.copies = 0;
	m->kernel[0].launches = 12;
	m->kernel[0].next_count = 11;
	assert_null(made_finding(made_advised(m), "kernel-fusion-candidate"));
	a = advised(fault_state_of_many, m);
	f = made_finding(a, "kernel-fusion-candidate");
	assert_non_null(f);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->saves_s > 0.5 * all && f->saves_s < 0.8 * all);
	assert_true(f->saves_low_s < 0.01 * all);
}

/* A table is none of the arrays that take turns where there is no memory for two. */
MADE_TEST(test_fusion_of_state_and_table)
{
	struct advice *a = advised(fault_state_and_table, m);
	const struct finding *f = made_finding(a, "kernel-fusion-candidate");
	double all = made_kernel_s(&m->kernel[0]);

	assert_non_null(f);
	assert_int_equal(f->confidence, CONF_MEDIUM);
	assert_has(f->advice, "one turn");
	assert_true(f->saves_s > 0.7 * all);
	a = advised(fault_state_and_twin, m);
	f = made_finding(a, "kernel-fusion-candidate");
	assert_non_null(f);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->saves_low_s < 0.01 * all);
	a = advised(fault_state_and_column, m);
	f = made_finding(a, "kernel-fusion-candidate");
	assert_non_null(f);
	assert_int_equal(f->confidence, CONF_LOW);
}

/* One product with all vectors reads the matrix once. */
MADE_TEST(test_fusion_of_columns)
{
	struct advice *a = advised(fault_one_vector_each, m);
	const struct finding *f = made_finding(a, "kernel-fusion-candidate");
	double all = made_kernel_s(&m->kernel[0]);

	assert_non_null(f);
	assert_has(f->advice, "cublasSgemm");
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->severity <= SEV_MEDIUM);
	assert_true(f->saves_s > 0.6 * all && f->saves_s < 0.9 * all);
	/* A product that has as much arithmetic as it has loads. */
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 90;
	assert_null(made_finding(made_advised(m), "kernel-fusion-candidate"));
}

/* A kernel over 2²⁴ elements that exchanges i with i ^ distance, or as ${lut}
 * defines. */
static struct kernel *
exchanging(struct made *m, uint64_t launches, const char *lut)
{
	struct kernel *k, like;

	made_again(m);
	k = made_measured(m, "_Z4stepPjii", launches, 100000, 0.8);
	like = *k;
	code_make(m, k, code_text("exchanging", lut), 1);
	memcpy(k->metric, like.metric, sizeof(like.metric));
	k->shape.grid_x = 1 << 16;
	k->next = 1;
	k->next_count = launches - 1;
	return k;
}

/* Of the 300 launches of a bitonic sort, those with the eleven smallest
 * distances of each run become one. */
MADE_TEST(test_fusion_of_network)
{
	static const char rule[] = "kernel-fusion-candidate";
	const struct finding *f;
	struct kernel *k = exchanging(m, 300, "0x3c");
	struct advice *a = made_advised(m);

	f = found_in(a, rule);
	assert_has(f->summary, "11 of the 24 distances");
	/* 13 · 14 / 2 launches with large distances, and one for each of 24
	 * runs, remain. */
	assert_true(fabs(f->saves_s / made_kernel_s(k) / (1 - 115. / 300) -
	    0.9) < 1e-6);
	assert_true(f->saves_high_s > f->saves_s);
	/* Ten transforms, of 24 distances each: 14 launches remain of each. */
	k = exchanging(m, 240, "0x3c");
	f = made_found(m, rule);
	assert_true(fabs(f->saves_s / made_kernel_s(k) / (1 - 14. / 24) -
	    0.9) < 1e-6);
	/* What was fused already has fewer launches; "and" is not an exchange;
	 * other kernels come between. */
	exchanging(m, 102, "0x3c");
	assert_int_equal(count_of(made_advised(m), rule), 0);
	exchanging(m, 300, "0xc0");
	assert_int_equal(count_of(made_advised(m), rule), 0);
	exchanging(m, 300, "0x3c")->next_count = 200;
	assert_int_equal(count_of(made_advised(m), rule), 0);
}

/* Threads that continue with the next step need not be started for it. */
MADE_TEST(test_fused_start)
{
	const struct finding *f;
	double start;

	fault_own_elements(m);
	start = 0.95 * (double)m->kernel[0].total_ns * 1e-9 /
	    (double)m->kernel[0].launches;
	for (int i = 0; i < 3; i++)
		m->kernel[i].shape.grid_x = (uint32_t)(start / 1.2 *
		    m->device[0].ceilings.sm_hz);
	f = made_found(m, "kernel-fusion-candidate");
	assert_true(f->saves_s > 0.8 * made_kernel_s(&m->kernel[0]));
}

/* Swapping pointers saves the whole copy. */
MADE_TEST(test_copied_back)
{
	struct advice *a = advised(fault_copied_back, m);
	const struct finding *f = made_finding(a, "kernel-fusion-candidate");
	double copy = made_kernel_s(&m->kernel[1]);

	assert_string_equal(f->title, "a kernel that only copies");
	assert_has(f->advice, "swap two pointers");
	assert_true(f->saves_s > 0.95 * copy && f->saves_s < copy + 0.04);
	assert_true(f->saves_low_s < 0.6 * copy + 0.04);
}

/* Three sums over one array, in a loop: two of the three passes are saved. */
MADE_TEST(test_fusion_of_siblings)
{
	static const char rule[] = "kernel-fusion-candidate";
	const struct finding *f;
	double one;

	fault_siblings(m);
	one = made_kernel_s(&m->kernel[0]);
	f = made_found(m, rule);
	assert_string_equal(f->where, "lowest + highest + sum");
	assert_has(f->summary, "two arrays of that size would not fit");
	assert_true(f->saves_s > 1.7 * one && f->saves_s < 2.1 * one);
	/* Two arrays would fit. Or the second kernel needs the first one's
	 * result: then the others are fused with the first of the next step. */
	made_again(m);
	fault_siblings(m);
	m->device[0].memory_bytes *= 2;
	made_quiet(m, rule);
	made_again(m);
	fault_siblings(m);
	m->kernel[1].name = "highest(float const*, float const*, float*)";
	f = made_found(m, rule);
	assert_string_equal(f->where, "highest + sum + lowest");
}

/* Two sums over an array each, and one over both: half of what they read is saved. */
MADE_TEST(test_fusion_of_readers)
{
	static void (*const quiet[])(struct made *) = { fault_readers_apart,
	    fault_readers_leave, fault_readers_mean, fault_readers_column,
	    fault_readers_columns, fault_readers_looked_up };
	static const char rule[] = "kernel-fusion-candidate";
	const struct finding *f;
	double one;

	fault_readers(m);
	one = made_kernel_s(&m->kernel[0]);
	f = made_found(m, rule);
	assert_has(f->summary, "they read 537 MB, and all memory in use is 282 MB");
	assert_true(f->saves_s > 1.5 * one && f->saves_s < 2 * one + 0.1);
	assert_true(f->saves_low_s < f->saves_s);
	made_again(m);
	fault_readers_of_one(m);
	made_found(m, rule);
	for (size_t i = 0; i < sizeof(quiet) / sizeof(*quiet); i++) {
		made_again(m);
		quiet[i](m);
		made_quiet(m, rule);
	}
}

/* Libraries' kernels, and those that cannot be changed. */
MADE_TEST(test_fusion_foreign)
{
	struct advice *a;

	fault_three_passes(m);
	for (int i = 0; i < 3; i++)
		m->kernel[i].name = "void at::native::reduce_kernel<512>(int)";
	a = made_advised(m);
	assert_int_equal(count_of(a, "kernel-fusion-candidate"), 0);
	made_again(m);
	fault_three_passes(m);
	m->kernel[1].shape.flags = SIGNATURE_COOPERATIVE;
	a = made_advised(m);
	assert_int_equal(count_of(a, "kernel-fusion-candidate"), 0);
}

/* The limit that a launch exceeded. */
MADE_TEST(test_limits)
{
	static const struct {
		uint32_t result, grid[3], block[3], regs, threads_max;
		uint32_t smem_static, smem_dynamic;
		const char *says;
	} cases[] = {
		{ 1, { 0, 1, 1 }, { 64, 1, 1 }, 16, 1024, 0, 0,
		  "a dimension of 0" },
		{ 1, { 9, 1, 1 }, { 2048, 1, 1 }, 16, 1024, 0, 0,
		  "too many threads in a block: 2,048 where 1,024" },
		{ 1, { 9, 1, 1 }, { 1, 1, 128 }, 16, 1024, 0, 0,
		  "too deep in z: 128 where 64" },
		{ 1, { 9, 70000, 1 }, { 64, 1, 1 }, 16, 1024, 0, 0,
		  "too long in one dimension: 70,000 where 65,535" },
		{ 701, { 9, 1, 1 }, { 1024, 1, 1 }, 80, 800, 0, 0,
		  "more registers than there are: 81,920 where 65,536" },
		{ 1, { 9, 1, 1 }, { 512, 1, 1 }, 32, 256, 0, 0,
		  "than the kernel was built for: 512 where 256" },
		{ 1, { 9, 1, 1 }, { 512, 1, 1 }, 32, 1024, 40000, 200000,
		  "than a block can have: 240,000 where 232,448" },
		{ 1, { 9, 1, 1 }, { 512, 1, 1 }, 32, 1024, 0, 98304,
		  "than the kernel was allowed: 98,304 where 49,152" },
		{ 720, { 9000, 2, 1 }, { 512, 1, 1 }, 32, 1024, 0, 0,
		  "cannot be resident at once" },
		{ 700, { 9, 1, 1 }, { 2048, 1, 1 }, 32, 1024, 0, 0,
		  "an error of an earlier kernel" },
		{ 1, { 9, 1, 1 }, { 64, 1, 1 }, 32, 1024, 0, 0,
		  "no limit that its shape shows" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct failure *f = m->failure;
		const struct finding *found;

		made_again(m);
		fault_too_many_threads(m);
		m->device[0].limits.smem_per_block_optin = 232448;
		f->result = cases[i].result;
		memcpy(f->grid, cases[i].grid, sizeof(f->grid));
		memcpy(f->block, cases[i].block, sizeof(f->block));
		f->regs = cases[i].regs;
		f->threads_max = cases[i].threads_max;
		f->smem_static = cases[i].smem_static;
		f->smem_dynamic = cases[i].smem_dynamic;
		found = made_found(m, "launch-failures");
		if (strstr(found->summary, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].says, found->summary);
		assert_int_equal(found->severity, SEV_HIGH);
	}
}

/* One finding for a kernel and a limit; errors that the program read have low
 * severity; in an older capture the shape is unknown. */
MADE_TEST(test_failures_together)
{
	const struct finding *f;
	struct advice *a;

	fault_launched_again(m);
	m->failure[1] = m->failure[0];
	m->failure[1].grid[0] = 7;
	m->run.failures = 2;
	a = made_advised(m);
	assert_int_equal(count_of(a, "launch-failures"), 1);
	f = made_finding(a, "launch-failures");
	assert_has(f->summary, "6 launches of work");
	assert_int_equal(f->severity, SEV_LOW);
	m->failure[1].kernel = m->failure[1].name = "other";
	a = made_advised(m);
	assert_int_equal(count_of(a, "launch-failures"), 2);
	m->failure[0].flags = m->failure[1].flags = 0;
	assert_int_equal(made_state(m, "launch-failures"), RULE_NOT_MEASURED);
}

/* Of the time before the first work, the compilation can be saved. */
MADE_TEST(test_jit_gain)
{
	struct advice *a = advised(fault_compiling, m);
	const struct finding *f = made_finding(a, "jit-at-startup");

	assert_ptr_equal(f, &a->finding[0]);
	assert_true(fabs(f->saves_high_s - 0.5) < 1e-9);
	assert_true(fabs(a->together_s - f->saves_s) < 1e-9);
	m->run.jit_startup_ns = 0;	/* all of it beside other work */
	f = made_found(m, "jit-at-startup");
	assert_true(f->saves_high_s < 0.1001);
}

/* What a library's code takes to compile no build of the program saves: the driver
 * keeps it, where its cache stays. */
MADE_TEST(test_jit_of_library)
{
	struct site_frame frame[] = { { .module = "libcuda.so.580" },
		{ .module = "libcufft.so.12" }, { .module = "app" } };
	struct site site[] = { { .call = CALL_MODULE_LOAD, .count = 3,
	    .frame = frame, .frames = 3 }, { .call = CALL_MODULE_LOAD,
	    .count = 1, .frame = frame + 2, .frames = 1 } };
	const struct finding *f;

	fault_compiling(m);
	m->run.site = site;
	m->run.sites = 2;
	f = made_found(m, "jit-at-startup");
	assert_has(f->summary, "for cuFFT");
	assert_has(f->advice, "CUDA_CACHE_PATH");
	assert_true(f->saves_s < 1e-9 && f->saves_high_s > 0.4);
	assert_false(f->worth_it);
	site[1].count = 4;	/* most is the program's own */
	f = made_found(m, "jit-at-startup");
	assert_has(f->advice, "-gencode");
	assert_true(f->saves_s > 0.4);
}

/* Running kernels at the same time and making them faster saves the same time. */
MADE_TEST(test_turns_gain)
{
	struct advice *a = advised(fault_taking_turns_by_stream, m);
	const struct finding *f = made_finding(a, "legacy-default-stream");

	assert_true(fabs(f->saves_s - 0.4) < 1e-9);
	assert_true(fabs(f->saves_high_s - 0.5) < 1e-9);
	assert_int_equal(f->confidence, CONF_LOW);
	made_again(m);
	fault_one_block(m);
	m->device[0].legacy_waits = 1000;
	m->device[0].legacy_kernels_ns = (double)m->kernel[0].total_ns;
	m->run.gpu_exposed_ns = m->kernel[0].total_ns;
	a = made_advised(m);
	assert_non_null(made_finding(a, "legacy-default-stream"));
	assert_true(made_finding(a, "grid-too-small")->worth_it);
	assert_true(a->together_s <= made_kernel_s(&m->kernel[0]) + 1e-9);
	assert_true(a->together_s >= made_finding(a,
	    "grid-too-small")->saves_s - 1e-9);
	/* Launches in several streams are divided already: first let them overlap,
	 * though larger grids might save more. */
	m->device[0].legacy_kernels_ns /= 2;
	assert_string_equal(made_advised(m)->finding[0].rule, "grid-too-small");
	m->kernel[0].streams_vary = true;
	assert_string_equal(made_advised(m)->finding[0].rule,
	    "legacy-default-stream");
}

/* Four kernels with 30 blocks for 132 SMs: together they take the time of one. */
MADE_TEST(test_stream_bound)
{
	struct advice *a = advised(fault_one_stream, m);
	const struct finding *f = made_finding(a,
	    "single-stream-serialisation");
	double all = 4 * made_kernel_s(&m->kernel[0]);

	assert_true(fabs(f->saves_high_s - 0.75 * all) < 1e-3);
	assert_true(f->saves_low_s == 0);
	assert_int_equal(f->severity, SEV_LOW);
	assert_string_equal(f->where, "the default stream");
	assert_has(f->location, "4 kernels from ");
	for (int i = 0; i < 4; i++) {
		m->kernel[i].shape.grid_x = 66;
		m->kernel[i].name = m->kernel[0].name;
	}
	f = made_found(m, "single-stream-serialisation");
	assert_true(fabs(f->saves_high_s - 0.5 * all) < 1e-3);
	assert_has(f->location, "4 launches of ");
	m->kernel[1].shape.grid_x = 67;	/* no room beside it */
	m->kernel[3].shape.grid_x = 67;
	a = made_advised(m);
	assert_int_equal(count_of(a, "single-stream-serialisation"), 0);
}

/* Eight blocks on one of 16 pairs of arrays, repeated: together they fit on 132 SMs. */
MADE_TEST(test_arrays_apart)
{
	static const char rule[] = "single-stream-serialisation";
	const struct finding *f;
	struct kernel *k;
	struct advice *a;
	double all;

	a = advised(fault_many_arrays, m);
	f = made_finding(a, rule);
	all = made_kernel_s(&m->kernel[0]);
	assert_non_null(f);
	assert_true(f->saves_high_s > 0.9 * all);
	assert_true(f->saves_s > 0.8 * all && f->saves_s < f->saves_high_s);
	assert_true(f->saves_low_s > 0.4 * all && f->saves_low_s < 0.6 * all);
	assert_int_equal(f->severity, SEV_MEDIUM);
	/* More blocks would save the same time: that comes behind. */
	assert_true(made_finding(a, "grid-too-small")->left_s < 0.1 * all);
	assert_string_equal(a->finding[0].rule, rule);
	/* Four elements a thread: the arrays are as long as what a launch stores. */
	m->size[0].bytes *= 4;
	m->kernel[0].metric[METRIC_GLOBAL_ST_SECTORS] = NAN;
	assert_int_equal(count_of(made_advised(m), rule), 0);
	m->kernel[0].metric[METRIC_GLOBAL_ST_SECTORS] =
	    (double)m->size[0].bytes / 32;
	assert_int_equal(count_of(made_advised(m), rule), 1);
	m->size[0].bytes /= 4;
	m->kernel[0].metric[METRIC_GLOBAL_ST_SECTORS] =
	    (double)m->size[0].bytes / 32;
	/* As many as one launch can take, and one more. */
	m->size[0].most = 3;
	assert_int_equal(count_of(made_advised(m), rule), 0);
	m->size[0].most = 4;
	assert_int_equal(count_of(made_advised(m), rule), 1);
	/* Or another function takes them. */
	k = made_kernel(m, "_Z3sumPKfS0_Pf", 100, 10000);
	k->name = "sum(float const*, float const*, float*)";
	assert_int_equal(count_of(made_advised(m), rule), 0);
	m->size[0].most = 16;
	assert_int_equal(count_of(made_advised(m), rule), 1);
	k->name = "sum(Set)";		/* whose contents are unknown */
	assert_int_equal(count_of(made_advised(m), rule), 0);
	/* Threads that access others' elements tell nothing about an array's length. */
	made_again(m);
	fault_many_arrays(m);
	code_make(m, &m->kernel[0], code_text("in_place", "+0x4"), 1);
	assert_int_equal(count_of(made_advised(m), rule), 0);
}

TEST(test_parameters)
{
	static const struct {
		const char *name;
		int pointers;
	} cases[] = {
		{ "filter(float*, int)", 1 }, { "f()", 0 }, { "f", -1 },
		{ NULL, -1 }, { "", -1 }, { "f)", -1 },
		{ "void copy<float>(float const*, float*, unsigned long)", 2 },
		{ "(anonymous namespace)::f(int)", 0 }, { "f(Set)", -1 },
		{ "f(float**)", -1 }, { "f(float (&) [3])", -1 },
		{ "f(Pair<int, float>*, bool)", 1 }, { "f(int, Pair<int>)", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (parameters_pointers(cases[i].name) != cases[i].pointers)
			fail_msg("%s: %d", cases[i].name,
			    parameters_pointers(cases[i].name));
}

/* A single block needs no grid-wide barrier. */
MADE_TEST(test_relaunch_gain)
{
	struct advice *a = advised(fault_relaunched, m);
	double many = made_finding(a, "relaunch-for-grid-sync")->saves_s;
	const struct finding *f;

	assert_true(many > 0.8 && many < 1.2);
	m->kernel[0].shape.grid_x = 1;
	a = made_advised(m);
	f = made_finding(a, "relaunch-for-grid-sync");
	assert_true(f->saves_s > many + 0.1 && f->saves_high_s < 2);
	assert_ptr_equal(f, &a->finding[0]);
	assert_true(a->together_s <= f->saves_high_s);
}

/* Gaps count if ten are about as long; the others are the program's own time,
 * neither claimed nor part of the total. */
MADE_TEST(test_gaps_again)
{
	struct advice *a = advised(fault_waiting, m);
	const struct finding *f = made_finding(a, "gpu-idle-gaps");
	double all = f->saves_high_s;

	assert_true(fabs(f->evidence[0].value - 3.0 / 9) < 1e-6);
	assert_true(f->evidence[1].value == 1000);
	assert_true(f->evidence[2].value == 3);
	made_gaps(m, IDLE_HOST, 9, 100 * MS);	/* phases */
	made_gaps(m, IDLE_HOST, 1, S);
	f = made_found(m, "gpu-idle-gaps");
	assert_true(fabs(f->evidence[0].value - 3.0 / 7.1) < 1e-6);
	assert_true(f->evidence[1].value == 1000);
	assert_true(fabs(f->saves_high_s - all) < 0.004);
	made_gaps(m, IDLE_HOST, 1, 70 * MS);	/* a tenth: about as long */
	f = made_found(m, "gpu-idle-gaps");
	assert_true(f->evidence[1].value == 1010);
	m->run.idle_overhead_ns = 2 * S;	/* our time is not the program's */
	m->run.idle_total_ns += 2 * S;
	f = made_found(m, "gpu-idle-gaps");
	assert_true(fabs(f->evidence[0].value - 3.97 / 6) < 1e-6);
}

/* If most of the host's work comes before launches from one line, even of
 * several kernels, the finding names that line. */
MADE_TEST(test_gaps_place)
{
	struct site_frame frame[] = { { .file = "/a/step.cu", .line = 7 },
	    { .file = "/a/step.cu", .line = 9 } };
	struct site site[] = {
		{ .call = CALL_LAUNCH, .count = 2, .frame = &frame[1], .frames = 1 },
		{ .call = CALL_LAUNCH, .count = 1, .frame = &frame[0], .frames = 1 },
		{ .call = CALL_LAUNCH, .count = 1, .frame = &frame[0], .frames = 1 },
	};
	const struct finding *f;

	advised(fault_waiting, m);
	m->run.site = site;
	m->run.sites = 3;
	site[0].kernel = site[1].kernel = m->kernel[0].id;
	m->kernel[0].host_before_ns = 2 * S;
	f = made_found(m, "gpu-idle-gaps");
	assert_null(f->site);			/* 1.33 s at line 9, of 3 s */
	assert_lacks(f->location, "launches");
	site[0].count = 8;
	f = made_found(m, "gpu-idle-gaps");
	assert_ptr_equal(f->site, &site[0]);	/* 1.78 s */
	assert_has(f->location, "most of it in front of these launches");
	site[2].kernel = site[1].kernel;
	site[1].count = site[2].count = 8;
	f = made_found(m, "gpu-idle-gaps");
	assert_int_equal(f->site == NULL, 1);	/* 0.67 and 1.33 s */
	m->kernel[0].host_before_ns = 3 * S;
	f = made_found(m, "gpu-idle-gaps");
	assert_non_null(f->site);		/* 1 and 2 s: two sites, one line */
	assert_int_equal(f->site->frame[0].line, 7);
}

/* Else it names the function; but what is called forward may be many functions. */
MADE_TEST(test_gaps_function)
{
	struct site_frame frame[] = {
		{ .file = "/a/scan.py", .function = "scan", .line = 7 },
		{ .file = "/a/scan.py", .function = "scan", .line = 9 },
		{ .file = "/a/scan.py", .function = "sample", .line = 20 },
	};
	struct site site[3];
	const struct finding *f;

	advised(fault_waiting, m);
	for (int i = 0; i < 3; i++)
		site[i] = (struct site){ .call = CALL_LAUNCH, .count = 1 + i % 2,
		    .frame = &frame[i], .frames = 1, .kernel = m->kernel[0].id };
	m->run.site = site;
	m->run.sites = 3;
	m->kernel[0].host_before_ns = 2600 * MS;
	f = made_found(m, "gpu-idle-gaps");
	assert_ptr_equal(f->site, &site[1]);	/* 1.95 of 3 s, at most 1.3 a line */
	assert_has(f->location, "what this function launches");
	frame[0].function = frame[1].function = "forward";
	assert_null(made_found(m, "gpu-idle-gaps")->site);
}

/* Else it names the line within whose calls most of it lies: neither the one that calls
 * everything, nor one of an installed package, nor one of many within it. */
MADE_TEST(test_gaps_within)
{
#define FRAME(n, l) { .file = n, .function = "forward", .line = l, .python = true }
	struct site_frame frame[][4] = {
		{ FRAME("/a/model.py", 7), FRAME("/x/site-packages/p/q.py", 5),
		  FRAME("/a/run.py", 30), FRAME("/a/run.py", 90) },
		{ FRAME("/a/model.py", 8), FRAME("/x/site-packages/p/q.py", 5),
		  FRAME("/a/run.py", 30), FRAME("/a/run.py", 90) },
		{ FRAME("/a/model.py", 9), FRAME("/x/site-packages/p/q.py", 5),
		  FRAME("/a/run.py", 40), FRAME("/a/run.py", 90) },
	};
	struct site site[4];
	const struct finding *f;

	advised(fault_waiting, m);
	for (int i = 0; i < 3; i++)
		site[i] = (struct site){ .call = CALL_LAUNCH, .count = 1,
		    .frame = frame[i], .frames = 4, .kernel = m->kernel[0].id };
	site[3] = (struct site){ .call = CALL_LAUNCH, .count = 1,	/* backward */
	    .kernel = m->kernel[0].id };
	m->run.site = site;
	m->run.sites = 4;
	m->kernel[0].host_before_ns = 2400 * MS;
	f = made_found(m, "gpu-idle-gaps");
	assert_non_null(f->site);	/* 1.2 of 1.8 s with lines, of 3 s */
	assert_int_equal(f->site->frame[f->site->first].line, 30);
	assert_has(f->location, "40 % of it within what this line calls");
	frame[1][2].line = 35;		/* no line has most */
	assert_null(made_found(m, "gpu-idle-gaps")->site);
	frame[1][2].line = 30;
	m->kernel[0].host_before_ns = 1200 * MS;	/* 0.6 s: little */
	assert_null(made_found(m, "gpu-idle-gaps")->site);
}

/* If the host comes back from elsewhere at one line for most of it, that is the place. */
MADE_TEST(test_gaps_away)
{
	struct site_frame frame[][2] = {
		{ FRAME("/a/run.py", 7), FRAME("/a/run.py", 90) },
		{ FRAME("/a/run.py", 8), FRAME("/a/run.py", 90) },
	};
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 900, .frame = frame[0],
		    .frames = 2, .idle_gaps = 900, .idle_ns = 1400 * MS },
		{ .call = CALL_EVENT_SYNC, .frame = frame[1], .frames = 2,
		    .idle_gaps = 900, .idle_ns = 1600 * MS },
	};
	const struct finding *f;

	advised(fault_waiting, m);
	m->run.site = site;
	m->run.sites = 2;
	f = made_found(m, "gpu-idle-gaps");
	assert_non_null(f->site);
	assert_int_equal(f->site->frame[f->site->first].line, 8);
	assert_has(f->location, "in front of what this line calls");
	site[1].idle_gaps = 2;		/* does not come again */
	assert_null(made_found(m, "gpu-idle-gaps")->site);
	site[1].idle_gaps = 900;
	site[1].idle_ns = 1400 * MS;	/* of 3 s */
	assert_null(made_found(m, "gpu-idle-gaps")->site);
}

/* Three gaps of 1.5 s in front of one line of Python, between rounds of 1.5 s, in which the
 * GPU works for 0.3 s. */
static void
made_rounds(struct made *m, const struct site *site)
{
	static struct process python = { .python = true };

	fault_good(m);
	made_gaps(m, IDLE_HOST, 3, 1500 * MS);
	m->run.process = &python;
	m->run.processes = 1;
	m->run.device[0].last_ns = 10 * S;
	m->run.device[0].busy_ns = 1200 * MS;
	for (size_t i = 0; i < m->run.kernels; i++) {
		m->kernel[i].first_ns = 0;
		m->kernel[i].last_ns = 10 * S;
	}
	for (size_t i = 0; i < 3; i++)
		m->run.pause[i] = (struct pause){ .start_ns = (1 + 3 * i) * S,
		    .end_ns = (1 + 3 * i) * S + 1500 * MS, .idle_ns = 1500 * MS,
		    .host_ns = 1500 * MS, .busy_ns = (i + 1) * 300 * MS,
		    .launches = 100 * i, .site = &site[i] };
	m->run.pauses = 3;
}

/* What the host does between rounds of the GPU's work, fewer times than gaps recur: at the
 * line in front of which it does it. */
MADE_TEST(test_gaps_between_rounds)
{
	struct site_frame frame[][2] = {
		{ FRAME("/a/run.py", 7), FRAME("/a/run.py", 90) },
		{ FRAME("/x/site-packages/p/up.py", 3), FRAME("/a/run.py", 7) },
		{ FRAME("/a/run.py", 7), FRAME("/a/run.py", 91) },
	};
	struct site site[3];
	const struct finding *f;

	for (int i = 0; i < 3; i++)
		site[i] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 1,
		    .frame = frame[i], .frames = 2 };
	made_rounds(m, site);
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->summary, "waits for the host 3 times, 1.5 s each, 4.5 s in all");
	assert_has(f->location, "3 long gaps, in front of what this line calls");
	assert_int_equal(f->site->frame[f->site->first].line, 7);
	/* A worker has the round's time for it; the GPU works for less. */
	assert_true(fabs(f->saves_s - 0.85 * 4.5) < 0.01);
	assert_true(fabs(f->saves_low_s - 0.3 * 0.9) < 0.01 && f->saves_high_s > 4.4);
	m->run.pause[1].end_ns = m->run.pause[2].start_ns;	/* no time beside it */
	f = made_found(m, "gpu-idle-gaps");
	assert_true(fabs(f->saves_s - (0.85 * 3 + 0.5 * 1.5)) < 0.01);
	/* The gaps of a loop beside it are found as without it. */
	made_gaps(m, IDLE_HOST, 1000, 1 * MS);
	f = &made_advised(m)->finding[1];
	assert_string_equal(f->rule, "gpu-idle-gaps");
	assert_has(f->summary, "again and again, 1 s in all");
	assert_true(f->saves_high_s > 0.99);
}

/* If it is known what the host is in between rounds, that line is the place. */
MADE_TEST(test_looks_between_rounds)
{
	struct site_frame front[] = { FRAME("/a/run.py", 7), FRAME("/a/run.py", 90) };
	struct site_frame in[] = { { .file = "/a/sample.py", .function = "negatives",
	    .line = 44, .python = true }, FRAME("/a/run.py", 5), FRAME("/a/run.py", 90) };
	struct site stack = { .call = CALL_NONE, .frame = in, .frames = 3 }, site[3];
	static struct look look[30];
	const struct finding *f;

	for (int i = 0; i < 3; i++)
		site[i] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 1,
		    .frame = front, .frames = 2 };
	made_rounds(m, site);
	for (size_t i = 0; i < 30; i++)
		look[i] = (struct look){ .at_ns = m->run.pause[i / 10].start_ns +
		    i % 10 * 100 * MS, .s = 0.1, .gap = LOOK_GAP + 30, .site = &stack };
	m->run.look = look;
	m->run.looks = 30;
	f = made_found(m, "gpu-idle-gaps");
	assert_int_equal(f->site->frame[f->site->first].line, 44);
	assert_has(f->limiter, "meanwhile the host is in negatives() at sample.py:44 (100 %)");
	for (size_t i = 0; i < 30; i++)
		look[i].at_ns += 1600 * MS;	/* in none of them */
	f = made_found(m, "gpu-idle-gaps");
	assert_int_equal(f->site->frame[f->site->first].line, 7);
	assert_lacks(f->limiter, "meanwhile");
}

/* Such gaps that are none of a loop's. */
MADE_TEST(test_gaps_of_phases)
{
	struct site_frame frame[][2] = {
		{ FRAME("/a/run.py", 7) }, { FRAME("/a/run.py", 7) },
		{ FRAME("/a/run.py", 7), { .function = "_bench", .python = true,
		    .file = "/x/site-packages/triton/runtime/autotuner.py" } } };
	struct site site[3];

	for (int i = 0; i < 3; i++)
		site[i] = (struct site){ .call = CALL_MEMCPY_ASYNC, .count = 1,
		    .frame = frame[i], .frames = 1 };
	made_rounds(m, site);
	made_found(m, "gpu-idle-gaps");
	site[1].workers = 4;		/* a loader's batches */
	made_quiet(m, "gpu-idle-gaps");
	site[1].workers = 0;
	site[2].frames = 2;		/* code is tried out */
	made_quiet(m, "gpu-idle-gaps");
	site[2].frames = 1;
	m->run.processes = 0;		/* not Python */
	made_quiet(m, "gpu-idle-gaps");
	m->run.processes = 1;
	frame[1][0].line = 8;		/* two are no rounds */
	made_quiet(m, "gpu-idle-gaps");
	frame[1][0].line = 7;
	m->run.pause[2].host_ns = 700 * MS;
	made_quiet(m, "gpu-idle-gaps");
	m->run.pause[2].host_ns = 1500 * MS;
	m->run.pause[2].launches = 109;	/* a few launches are no round */
	made_quiet(m, "gpu-idle-gaps");
	m->run.pause[2].launches = 200;
	/* Each variant that is checked has a kernel of its own. */
	for (size_t i = 0; i < m->run.kernels; i++)
		m->kernel[i].first_ns = 5 * S;
	made_quiet(m, "gpu-idle-gaps");
}

/* What the summary says of gaps whose half or more follows a copy to the host, or a wait,
 * and the place of that: if the line makes so many of them that it must be this one; the
 * frame is the program's own, not a package's. */
MADE_TEST(test_gaps_after)
{
	struct site_frame item[] = { FRAME("/x/site-packages/p/save.py", 5),
	    FRAME("/a/run.py", 30), { .function = "cuMemcpyDtoHAsync_v2" } };
	struct site_frame other[] = { FRAME("/a/run.py", 40),
	    { .function = "cuMemcpyDtoHAsync_v2" } };
	struct site_frame wait[] = { FRAME("/a/run.py", 50) };
	struct site site[] = {
		{ .call = CALL_MEMCPY_ASYNC, .count = 7, .frame = item, .frames = 3 },
		{ .call = CALL_MEMCPY_ASYNC, .count = 3, .frame = other, .frames = 2 },
		{ .call = CALL_STREAM_SYNC, .count = 9, .frame = wait, .frames = 1 },
	};
	struct copy_class copy = { .kind = COPY_D2H, .count = 1000 };
	struct sync_class sync = { .call = CALL_STREAM_SYNC, .count = 1000 };
	const struct finding *f;
	struct gap_class *c;

	advised(fault_waiting, m);		/* 1000 gaps of 3 ms */
	c = &m->run.gap[63 - __builtin_clzll(3 * MS)];
	m->run.site = site;
	m->run.sites = 3;
	m->run.copy = &copy;
	m->run.copies = 1;
	m->run.sync = &sync;
	m->run.syncs = 1;
	assert_lacks(made_found(m, "gpu-idle-gaps")->summary, "after each");
	c->output_ns = 2400 * MS;
	c->outputs = 800;
	c->output_bytes = 800 * 4000000ull;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->summary,
	    "3 ms after each of 800 copies to the host (4 MB) at run.py:30");
	assert_has(f->location, "most of it after this line's copies to the host");
	assert_non_null(f->site);
	assert_int_equal(f->site->first, 1);
	/* Of twice as many copies the other line's may be those before the gaps. */
	copy.count = 2000;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->summary, "after each of 800 copies to the host (4 MB)");
	assert_lacks(f->summary, "run.py");
	assert_null(f->site);
	/* So much of it follows waits. */
	c->output_ns = c->outputs = 0;
	c->waited_ns = 2 * S;
	c->waits = 500;
	f = made_found(m, "gpu-idle-gaps");
	assert_has(f->summary, "4 ms after each of 500 waits for the GPU at run.py:50");
	assert_has(f->location, "most of it after this line's waits");
	assert_ptr_equal(f->site->frame, wait);
	c->waited_ns = 1 * S;
	assert_lacks(made_found(m, "gpu-idle-gaps")->summary, "after each");
}

/* The time from a wait to the next launch is not the host's computation. */
MADE_TEST(test_gaps_short)
{
	advised(fault_good, m);
	made_gaps(m, IDLE_AFTER_SYNC, 200000, 8000);
	assert_int_equal(made_state(m, "gpu-idle-gaps"), RULE_CLEAN);
	made_gaps(m, IDLE_HOST, 50, 20 * MS);	/* they remain */
	assert_true(fabs(made_found(m, "gpu-idle-gaps")->evidence[0].value - 1.0
	    / 9) < 1e-6);
}

/* Waits that are followed by a few long phases of the host cost no more than
 * the recurring gaps. */
MADE_TEST(test_waits_of_phases)
{
	static builder *const build[] = { fault_blocking, fault_syncing };
	static const char *const rule[] = { "synchronous-copies",
	    "device-sync-overuse" };

	for (int i = 0; i < 2; i++) {
		struct advice *a = advised(build[i], m);
		double alone = made_finding(a, rule[i])->saves_s;

		made_gaps(m, IDLE_HOST, 6, 200 * MS);
		m->copy[0].idle_waited_ns += 1200 * MS;
		m->sync[0].idle_after_ns += 1200 * MS;
		assert_true(made_found(m, rule[i])->saves_s < alone + 0.01);
		memset(m->run.gap, 0, sizeof(m->run.gap));
		made_gaps(m, IDLE_HOST, 6, 200 * MS);
		assert_int_equal(made_state(m, rule[i]), RULE_CLEAN);
	}
}
