/* Launch sites: call stacks of the host, and the frame that is shown. */
#include <stdio.h>

#include "unit/model_feed.h"
#include "wire/le.h"

#define EXE 0x400000ull		/* where the modules are mapped */
#define CUDART 0x500000ull
#define CUDA 0x600000ull
#define TORCH 0x700000ull

static void
feed_mapping(struct feed *f, uint64_t start, const char *path)
{

	FEED(f, MAPPING, .id = (uint32_t)(start >> 20), .start = start,
	    .end = start + 0x10000, .path = wire_str_of(path));
}

static void
feed_mappings(struct feed *f)
{

	feed_mapping(f, EXE, "/home/ada/bin/app");
	feed_mapping(f, CUDART, "/usr/lib/libcudart.so.13");
	feed_mapping(f, CUDA, "/usr/lib/libcuda.so.1");
	feed_mapping(f, TORCH, "/opt/lib/libtorch_cuda.so");
}

static void
feed_frame(struct feed *f, uint64_t address, uint32_t depth,
    const char *function, const char *file, uint32_t line)
{

	FEED(f, FRAME, .address = address, .depth = depth, .line = line,
	    .function = wire_str_of(function), .file = wire_str_of(file));
}

static void
feed_site(struct feed *f, enum wire_call call, uint32_t key, uint64_t count,
    const uint64_t *address, size_t n, const char *python)
{
	uint8_t blob[8 * 100];
	size_t i;

	for (i = 0; i < n; i++)
		le64_put(blob + 8 * i, address[i]);
	FEED(f, SITE, .kind = call, .key = key, .tid = 7, .count = count,
	    .frames = { blob, (uint32_t)(8 * n) },
	    .python = wire_str_of(python));
}

/* The host is away from ${start} on, until the event of site ${number} at ${end}. */
static void
feed_away(struct feed *f, uint32_t number, uint64_t start, uint64_t end)
{

	FEED(f, AWAY, .site = number, .tid = 7, .start_ns = T0 + start,
	    .end_ns = T0 + end);
}

static const struct site_frame *
shown(const struct site *s)
{

	assert_true(s->first < s->frames);
	return &s->frame[s->first];
}

FEED_TEST(test_stack)
{
	const uint64_t stack[] = { CUDA + 1, CUDART + 1, EXE + 0x10,
	    EXE + 0x20, EXE + 0x30 };
	const struct site *s;
	const struct run *run;

	feed_signature(f, 5, "_Z1kPKf");
	feed_mappings(f);
	feed_site(f, CALL_LAUNCH, 5, 3, stack, 5, "");
	feed_frame(f, EXE + 0x10, 0, "_Z18__device_stub__Z1kPKf", "", 0);
	feed_frame(f, EXE + 0x20, 0, "_Z1kPKf", "", 0);
	/* An inlined call: innermost first. */
	feed_frame(f, EXE + 0x30, 1, "main", "/home/ada/app.cu", 40);
	feed_frame(f, EXE + 0x30, 0, "_Z4stepi", "/home/ada/app.cu", 17);
	feed_site(f, CALL_LAUNCH, 5, 9, stack, 5, "");
	run = feed_settle(f);
	assert_int_equal(run->sites, 1);
	s = &run->site[0];
	assert_int_equal(s->call, CALL_LAUNCH);
	assert_int_equal(s->kernel, 1);
	assert_int_equal(s->count, 9);
	assert_int_equal(s->frames, 6);
	assert_string_equal(s->frame[0].module, "libcuda.so.1");
	assert_null(s->frame[0].function);
	assert_int_equal(s->first, 4);
	assert_string_equal(shown(s)->function, "step(int)");
	assert_string_equal(shown(s)->module, "app");
	assert_int_equal(shown(s)->line, 17);
	assert_true(shown(s)->inlined);
	assert_false(s->frame[5].inlined);
	assert_string_equal(s->frame[5].function, "main");
}

/* The CUDA runtime linked into the program, and the templates of CUDA's
 * headers: their frames are skipped by name. */
FEED_TEST(test_stubs)
{
	static const struct {
		const char *function, *file;
		bool skipped;
	} cases[] = {
		{ "cudaLaunchKernel", "", true },
		{ "cudaMemcpyAsync", "", true },
		{ "__cudaLaunchKernel", "", true },
		{ "_ZN6cudart13cudaApiMemcpyEv", "", true },
		{ "cudaError cub::CUB_1_SM_900::DeviceFor::Bulk<long, f(int)>"
		    "(long, f(int), CUstream_st*)", "", true },
		{ "thrust::THRUST_1::device_vector<int>::~device_vector()",
		    "", true },
		{ "thrust::THRUST_1::pair<int, int> extremes<float>(float*)",
		    "", false },
		{ "cudaError cudaLaunchKernel<char>(char*)",
		    "/usr/local/cuda/include/cuda_runtime.h", true },
		{ "_Z18__device_stub__Z1kPKf", "", true },
		{ "k(float const*)", "/home/ada/app.cu", true },
		{ "k", "/home/ada/app.cu", true },
		{ "_Z14cudaMallocMinePPvm", "", false },
		{ "cudaMyWrapper", "/home/ada/app.c", false },
		{ "k(int)", "/home/ada/app.cu", false },
		{ "main", "", false },
	};
	uint64_t stack[2] = { 0, EXE + 0xf000 };
	const struct run *run;
	size_t i, j;

	feed_signature(f, 1, "_Z1kPKf");
	feed_mappings(f);
	feed_frame(f, EXE + 0xf000, 0, "caller", "", 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		stack[0] = EXE + 0x100 + 16 * i;
		feed_frame(f, stack[0], 0, cases[i].function, cases[i].file,
		    (uint32_t)i + 1);
		feed_site(f, CALL_LAUNCH, 1, 100 - i, stack, 2, "");
	}
	run = feed_settle(f);
	assert_int_equal(run->sites, sizeof(cases) / sizeof(cases[0]));
	for (i = 0; i < run->sites; i++) {
		j = run->site[i].frame[0].line - 1;
		if (run->site[i].first != (cases[j].skipped ? 1 : 0))
			fail_msg("%s: frame %zu", cases[j].function,
			    run->site[i].first);
	}
}

FEED_TEST(test_python)
{
	static const struct {
		const char *python;
		size_t first;
		const char *function;
	} cases[] = {
		{ "/usr/lib/python3.11/site-packages/torch/nn/functional.py\t9"
		    "\tlinear\n/home/ada/train.py\t44\tstep\n"
		    "/home/ada/train.py\t80\tmain\n", 1, "step" },
		{ "/home/ada/.venv/lib/python3.11/site-packages/triton/runtime/"
		    "jit.py\t1\trun\n/usr/lib/python3.11/threading.py\t5\t"
		    "run\n/home/ada/.venv/lib/python3.11/site-packages/mine/"
		    "x.py\t7\tgo\n", 2, "go" },
		{ "/x/lib/python3.12/site-packages/einops/_backends.py\t291\t"
		    "einsum\n/home/ada/model.py\t319\tscan\n", 1, "scan" },
		{ "/x/lib/python3.12/site-packages/orbax/checkpoint/manager.py\t9"
		    "\tsave\n/home/ada/run.py\t174\tsteps\n", 1, "steps" },
		{ "/usr/lib/python3/dist-packages/torch/a.py\t1\ta\n"
		    "<frozen runpy>\t2\tb\n", 0, "a" },
		/* A package's line only where no file of the program is there. */
		{ "/x/lib/python3.12/site-packages/gpytorch/kernel.py\t49\t"
		    "sq_dist\n/home/ada/turbo.py\t185\tfit\n", 1, "fit" },
		{ "/x/lib/python3.12/site-packages/gpytorch/kernel.py\t49\t"
		    "sq_dist\n/x/bin/serve\t8\t<module>\n", 0, "sq_dist" },
		{ "/home/ada/torch/my.py\t3\tf\n", 0, "f" },
		{ "<string>\t1\t<module>\n", 0, "<module>" },
	};
	const uint64_t stack[] = { CUDA + 1, TORCH + 5, EXE + 3 };
	const struct run *run;
	size_t i;

	feed_mappings(f);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		feed_site(f, CALL_STREAM_SYNC, 0, 100 - i, stack, 3,
		    cases[i].python);
	run = feed_settle(f);
	assert_int_equal(run->sites, sizeof(cases) / sizeof(cases[0]));
	for (i = 0; i < run->sites; i++) {
		assert_int_equal(run->site[i].kernel, 0);
		assert_int_equal(run->site[i].first, cases[i].first);
		assert_true(shown(&run->site[i])->python);
		assert_string_equal(shown(&run->site[i])->function,
		    cases[i].function);
	}
	assert_int_equal(run->site[0].frames, 6);
	assert_int_equal(run->site[0].frame[1].line, 44);
	assert_string_equal(run->site[0].frame[1].file, "/home/ada/train.py");
	assert_false(run->site[0].frame[3].python);
}

/* If no frame is the program's own, some frame is still shown. */
FEED_TEST(test_foreign)
{
	const uint64_t stack[] = { CUDA + 1, TORCH + 5 };
	const struct run *run;

	feed_mappings(f);
	feed_site(f, CALL_MEMCPY, 0, 1, stack, 2, "");
	feed_site(f, CALL_MALLOC, 0, 1, stack, 0, "");
	run = feed_settle(f);
	assert_int_equal(run->sites, 2);
	assert_int_equal(shown(&run->site[0])->line, 0);
	assert_int_equal(run->site[1].frames, 0);
}

/* A thread started by a framework: the framework's function is shown, if it has
 * a name. */
FEED_TEST(test_foreign_thread)
{
	const uint64_t stack[] = { CUDA + 1, TORCH + 0x10, TORCH + 0x20,
	    TORCH + 0x30, TORCH + 0x40 }, unnamed[] = { CUDA + 1, TORCH + 0x50 };
	const struct run *run;

	feed_mappings(f);
	feed_frame(f, CUDA + 1, 0, "cuLaunchKernel", "", 0);
	feed_frame(f, TORCH + 0x10, 0,
	    "void at::native::reduce<float, 4>(at::Iterator&)", "", 0);
	feed_frame(f, TORCH + 0x20, 0, "at::native::{lambda()#1}::operator()()",
	    "", 0);
	feed_frame(f, TORCH + 0x30, 0,
	    "at::native::sum(at::Tensor, c10::ArrayRef<long>)", "", 0);
	feed_frame(f, TORCH + 0x40, 0, "at::_ops::sum::call()", "", 0);
	feed_site(f, CALL_MEMCPY, 0, 9, stack, 5, "");
	feed_site(f, CALL_MALLOC, 0, 1, unnamed, 2, "");
	run = feed_settle(f);
	assert_int_equal(run->sites, 2);
	assert_string_equal(shown(&run->site[0])->function,
	    "at::native::sum(at::Tensor, c10::ArrayRef<long>)");
	assert_int_equal(run->site[1].first, 1);
}

/* Two processes with different addresses, and two signatures of the wire that
 * are one kernel: one site. A FRAME of one process does not apply to the other. */
FEED_TEST(test_merge)
{
	uint64_t one[] = { EXE + 0x10 }, two[] = { EXE + 0x9010 };
	uint64_t other[] = { EXE + 0x20 };
	const struct run *run;

	feed_mappings(f);
	feed_signature(f, 1, "k");
	feed_site(f, CALL_LAUNCH, 1, 5, one, 1, "");
	feed_process(f, 43);
	feed_mapping(f, EXE, "/home/ada/bin/app");
	feed_signature(f, 8, "k");
	feed_site(f, CALL_LAUNCH, 8, 7, two, 1, "");
	feed_site(f, CALL_LAUNCH, 8, 1, other, 1, "");
	/* The daemon's stream names the process. */
	f->stream = 1000;
	f->sequence = 0;
	FEED(f, FRAME, .process = 42, .address = one[0], .line = 3,
	    .function = wire_str_of("go"), .file = wire_str_of("/a.c"));
	FEED(f, FRAME, .process = 43, .address = two[0], .line = 3,
	    .function = wire_str_of("go"), .file = wire_str_of("/a.c"));
	FEED(f, FRAME, .process = 43, .address = one[0], .line = 99,
	    .function = wire_str_of("wrong"), .file = wire_str_of("/b.c"));
	FEED(f, FRAME, .process = 4444, .address = one[0], .line = 99);
	run = feed_settle(f);
	assert_int_equal(run->processes, 2);
	assert_int_equal(run->sites, 2);
	assert_int_equal(run->site[0].count, 12);
	assert_string_equal(run->site[0].frame[0].function, "go");
	assert_null(run->site[1].frame[0].function);
	assert_string_equal(run->site[1].frame[0].module, "app");
}

/* The sites that launch a kernel are found among many; few are all looked at. */
TEST(test_launches_found)
{
	struct site site[200];
	size_t n, at, end, i;
	uint32_t kernel;

	memset(site, 0, sizeof(site));
	for (i = 0; i < 200; i++) {
		site[i].call = i < 20 ? CALL_LAUNCH - 1 : i < 180 ?
		    CALL_LAUNCH : CALL_LAUNCH + 1;
		site[i].kernel = site[i].call == CALL_LAUNCH ?
		    (uint32_t)(i - 20) / 40 * 2 : 0;	/* 40 each of 0, 2, 4, 6 */
	}
	for (kernel = 0; kernel < 8; kernel++) {
		at = site_launches(site, 200, kernel, &end);
		n = kernel % 2 == 0 ? 40 : 0;
		assert_int_equal(end - at, n);
		assert_true(n == 0 || at == 20 + kernel / 2 * 40u);
	}
	assert_int_equal(site_launches(site, 30, 4, &end), 0);
	assert_int_equal(end, 30);
	at = site_launches(site, 200, UINT32_MAX, &end);
	assert_int_equal(end, at);
}

/* Unnamed functions of one module are different places. */
FEED_TEST(test_unnamed)
{
	const uint64_t one[] = { EXE + 0x10 }, two[] = { EXE + 0x20 };

	feed_mappings(f);
	feed_site(f, CALL_FREE, 0, 1, one, 1, "");
	feed_site(f, CALL_FREE, 0, 1, two, 1, "");
	assert_int_equal(feed_settle(f)->sites, 2);
}

FEED_TEST(test_hostile)
{
	uint64_t stack[100] = { 0 };
	char python[2000] = "";
	uint32_t i;

	feed_site(f, CALL_LAUNCH, 12345, 1, stack, 1, "");
	feed_site(f, CALL_COUNT, 0, 1, stack, 1, "");
	feed_site(f, CALL_UNKNOWN, 0, 1, stack, 1, "");
	FEED(f, SITE, .kind = UINT32_MAX);
	FEED(f, MAPPING, .start = 10, .end = 10);
	FEED(f, MAPPING, .start = 10, .end = 5);
	FEED(f, FRAME, .depth = UINT32_MAX);
	feed_site(f, CALL_FREE, 0, UINT64_MAX, stack, 100, "no tabs at all");
	feed_site(f, CALL_FREE, 0, 1, stack, 3, "\t\t\n\t\n\n");
	feed_site(f, CALL_FREE, 0, 1, stack, 3, "a\tx\t\nb\t99999999999\tf\n"
	    "c\t-1\tg\x1b[0m");
	for (i = 0; i < 150; i++)
		strcat(python, "f.py\t1\tg\n");
	feed_site(f, CALL_FREE, 0, 1, stack, 50, python);
	assert_int_equal(feed_settle(f)->sites, 4);
	for (i = 0; i < feed_settle(f)->sites; i++) {
		const struct site *s = &feed_settle(f)->site[i];

		assert_in_range(s->frames, 0, SITE_DEPTH);
		if (s->frame[0].python && s->frames == 6) {
			assert_null(s->frame[0].function);
			assert_int_equal(s->frame[1].line, 0);
			assert_string_equal(s->frame[2].function, "g?[0m");
		}
	}
}

/* A look has the frames of its site, which may come later, and the class of the gap in which
 * it fell: 0 while the GPU worked, where code was loaded, and while we measured. Its sites
 * are not among those of calls. */
FEED_TEST(test_looks)
{
	static const struct {
		uint64_t at;
		uint32_t site;
		uint8_t gap;
	} look[] = {
		{ 2 * MS, 3, LOOK_GAP + 21 },	/* 4 ms, of which 1 ms ours */
		{ 4 * MS + MS / 2, 3, 0 },	/* while we measured */
		{ 8 * MS, 4, 0 },		/* the GPU works */
		{ 12 * MS, 5, LOOK_GAP + 22 },	/* 5 ms */
		{ 30 * MS, 9, 0 },		/* code is loaded; no such site */
	};
	const struct run *run;

	feed_signature(f, 1, "a");
	feed_kernel(f, 1, 0, 10 * US, 1 * MS);
	for (size_t i = 0; i < 5; i++)
		FEED(f, SEEN, .site = look[4 - i].site, .tid = 7,
		    .time_ns = T0 + look[4 - i].at, .period_ns = MS * (5 - i));
	FEED(f, OVERHEAD, .kind = OVERHEAD_COUNTERS, .tid = 7,
	    .start_ns = T0 + 4 * MS, .end_ns = T0 + 5 * MS);
	feed_kernel(f, 1, 5 * MS, 5 * MS + 5 * US, 10 * MS);
	feed_kernel(f, 1, 15 * MS, 15 * MS + 5 * US, 20 * MS);
	feed_api(f, CALL_MODULE_LOAD, 80 * MS, 81 * MS);
	feed_kernel(f, 1, 90 * MS, 90 * MS + 5 * US, 95 * MS);
	FEED(f, SITE, .kind = CALL_NONE, .number = 5,
	    .python = wire_str_of("/a/run.py\t10\tstep\n"));
	FEED(f, SITE, .kind = CALL_NONE, .number = 3,
	    .python = wire_str_of("/a/run.py\t7\tload\n/a/run.py\t30\tmain\n"));
	FEED(f, SITE, .kind = CALL_NONE, .number = 4,
	    .python = wire_str_of("/a/run.py\t9\tstep\n"));
	FEED(f, SITE, .kind = CALL_LAUNCH, .key = 1, .number = 1, .count = 1,
	    .python = wire_str_of("/a/run.py\t8\tstep\n"));
	run = feed_settle(f);
	assert_int_equal(run->sites, 1);
	assert_int_equal(run->site[0].call, CALL_LAUNCH);
	assert_int_equal(run->looks, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct look *l = &run->look[i];

		assert_int_equal(l->gap, look[i].gap);
		assert_true(l->s > 0.00099 * (double)(i + 1) &&
		    l->s < 0.00101 * (double)(i + 1));
		if (i == 4) {
			assert_null(l->site);
			continue;
		}
		assert_int_equal(l->site->call, CALL_NONE);
		assert_int_equal(shown(l->site)->line, look[i].site == 3 ? 7 :
		    look[i].site + 5);
	}
	assert_int_equal(run->look[0].site->frames, 2);
}

/* A gap in which the host was away belongs to the site that ended it: only the part in
 * which the GPU was idle, without our measuring. What code is loaded in counts for the
 * longest gap alone; while the GPU worked, nothing does. */
FEED_TEST(test_away)
{
	const struct run *run;
	const struct site *s;
	uint8_t stack[8];

	feed_signature(f, 1, "a");
	feed_mappings(f);
	feed_kernel(f, 1, 5 * US, 10 * US, 5 * MS);
	feed_away(f, 3, 1 * MS, 9 * MS);		/* 4 ms idle, 1 ms ours */
	FEED(f, OVERHEAD, .kind = OVERHEAD_COUNTERS, .tid = 7,
	    .start_ns = T0 + 6 * MS, .end_ns = T0 + 7 * MS);
	feed_kernel(f, 1, 9 * MS, 9 * MS + 5 * US, 20 * MS);
	feed_away(f, 4, 10 * MS, 15 * MS);		/* behind a kernel */
	/* It stands for three, of 12 ms in all. */
	FEED(f, AWAY, .site = 3, .start_ns = T0 + 18 * MS, .end_ns = T0 + 22 * MS,
	    .total_ns = 12 * MS, .count = 3, .workers = 4, .processors = 16,
	    .working = 800);
	feed_kernel(f, 1, 22 * MS, 22 * MS + 5 * US, 30 * MS);
	feed_api(f, CALL_MODULE_LOAD, 80 * MS, 81 * MS);
	feed_away(f, 4, 30 * MS, 80 * MS);
	feed_kernel(f, 1, 90 * MS, 90 * MS + 5 * US, 95 * MS);
	feed_away(f, 99, 92 * MS, 97 * MS);		/* no such site */
	feed_kernel(f, 1, 97 * MS, 97 * MS + 5 * US, 98 * MS);
	le64_put(stack, EXE + 0x10);
	FEED(f, SITE, .kind = CALL_MEMCPY, .number = 3, .frames = { stack, 8 });
	le64_put(stack, EXE + 0x20);
	FEED(f, SITE, .kind = CALL_MEMCPY, .number = 4, .count = 2,
	    .frames = { stack, 8 });
	feed_frame(f, EXE + 0x10, 0, "_Z4loadi", "/home/ada/app.cu", 17);
	feed_frame(f, EXE + 0x20, 0, "_Z4othri", "/home/ada/app.cu", 27);
	run = feed_settle(f);
	assert_int_equal(run->sites, 2);
	s = &run->site[shown(&run->site[0])->line == 17 ? 0 : 1];
	assert_int_equal(s->count, 0);
	assert_true(s->idle_gaps == 4);
	assert_true(s->idle_ns == 3 * MS + 3.0 * 2 * MS);
	assert_int_equal(s->idle_longest_ns, 3 * MS);
	assert_int_equal(s->workers, 4);
	assert_int_equal(s->processors, 16);
	assert_true(fabs(run->working - 0.8) < 1e-9);
	/* The last count was of the time up to a second before. */
	assert_int_equal(run->workeds, 1);
	assert_int_equal(run->worked[0].to_ns, T0 + 22 * MS - S);
	assert_true(run->worked[0].ns == 7 * MS);
	assert_true(fabs(run->worked[0].used_ns - 0.8 * 7 * MS) < 1);
	assert_true(run->worked[0].there_ns == 4.0 * 7 * MS);
	s = &run->site[s == run->site ? 1 : 0];
	assert_true(s->idle_gaps == 0);
	assert_true(s->idle_ns == 0);
	assert_int_equal(s->idle_longest_ns, 50 * MS);
	assert_int_equal(s->workers, 0);
}

/* Copies whose content is alike have the site that most of their comparisons name. */
FEED_TEST(test_alike_copies)
{
	static const uint32_t named[] = { 3, 0, 4, 4, 4 };
	uint8_t stack[8];
	const struct run *run;

	feed_signature(f, 1, "a");
	feed_mappings(f);
	for (uint32_t i = 0; i < 20; i++)
		FEED(f, COPY, .context = 1, .correlation = i, .kind = COPY_H2D,
		    .bytes = 1 << 20, .start_ns = T0 + i * MS, .end_ns = T0 + i * MS + US,
		    .launch_ns = T0 + i * MS, .src = MEMORY_PAGEABLE,
		    .dst = MEMORY_DEVICE, .src_address = (i % 3 + 1) << 24,
		    .dst_address = (i % 4 + 16) << 24);
	for (uint32_t i = 0; i < 5; i++)
		FEED(f, COMPARED, .bytes = 1 << 20, .pages = 256, .sampled = i + 8,
		    .alike = i + 8, .site = named[i]);
	for (uint32_t i = 3; i <= 4; i++) {
		le64_put(stack, EXE + 0x10 * i);
		FEED(f, SITE, .kind = CALL_MEMCPY_ASYNC, .number = i, .count = 5 - i,
		    .frames = { stack, 8 });
		feed_frame(f, EXE + 0x10 * i, 0, "_Z4loadi", "/home/ada/app.cu", i);
	}
	run = feed_settle(f);
	assert_int_equal(run->resents, 1);
	assert_int_equal(run->resent[0].kind, RESENT_ALIKE);
	assert_non_null(run->resent[0].site);
	assert_int_equal(shown(run->resent[0].site)->line, 4);
}

/* The longest gaps one by one, in order, each with the place in front of which the host was
 * away for most of it. */
FEED_TEST(test_pauses)
{
	const struct pause *p;
	const struct run *run;
	uint8_t stack[8];
	uint64_t i, at = 0;

	feed_signature(f, 1, "a");
	feed_mappings(f);
	/* Of 80 gaps 16 are shorter: every fifth. */
	for (i = 0; i < 80; i++) {
		uint64_t gap = i % 5 == 0 ? 2 * MS : 4 * MS;

		feed_away(f, 3, at, at + (i == 7 ? MS : gap - MS));
		at += gap;
		feed_kernel(f, 1, at - MS / 2, at, at + MS);
		at += MS;
	}
	le64_put(stack, EXE + 0x10);
	FEED(f, SITE, .kind = CALL_MEMCPY, .number = 3, .frames = { stack, 8 });
	feed_frame(f, EXE + 0x10, 0, "_Z4loadi", "/home/ada/app.cu", 17);
	run = feed_settle(f);
	assert_int_equal(run->pauses, PAUSES_MOST);
	p = run->pause;
	for (i = 0; i < run->pauses; i++) {
		assert_int_equal(p[i].idle_ns, 4 * MS);
		assert_int_equal(p[i].host_ns, 3500 * US);
		assert_int_equal(p[i].end_ns - p[i].start_ns, 4 * MS);
		assert_true(i == 0 || p[i].start_ns > p[i - 1].end_ns);
		assert_true(i == 0 || p[i].launches > p[i - 1].launches);
		assert_true(i == 0 || p[i].busy_ns >= p[i - 1].busy_ns + MS);
		assert_ptr_equal(p[i].site, p[i].launches == 7 ? NULL : run->site);
	}
}

/* What lies in front of a gap that a site ended: another copy of its batch, of which there
 * are few in a row, and the kernel that ran last. */
FEED_TEST(test_away_behind)
{
	const struct run *run;
	uint64_t at = 0;
	uint8_t stack[8];

	feed_signature(f, 1, "step");
	feed_signature(f, 2, "fill");
	feed_mappings(f);
	feed_kernel(f, 2, 5 * US, 10 * US, 50 * US);
	for (int i = 0; i < 4; i++, at += 10 * MS) {
		feed_kernel(f, 1, at + 60 * US, at + 70 * US, at + 90 * US);
		feed_copy(f, COPY_D2H, 8, true, at + 65 * US, at + 91 * US, at + 95 * US);
		feed_away(f, 3, at + 95 * US, at + 3 * MS);	/* the next batch */
		feed_copy(f, COPY_H2D, 1 << 20, true, at + 3 * MS, at + 3 * MS + US,
		    at + 4 * MS);
		feed_away(f, 4, at + 4 * MS, at + 7 * MS);	/* its labels */
		feed_copy(f, COPY_H2D, 1 << 20, true, at + 7 * MS, at + 7 * MS + US,
		    at + 8 * MS);
	}
	/* A data set, element by element. */
	for (int i = 0; i < 40; i++, at += 10 * MS) {
		feed_away(f, 5, at + (i == 0 ? 0 : 4 * MS - 10 * MS), at + 3 * MS);
		feed_copy(f, COPY_H2D, 1 << 20, true, at + 3 * MS, at + 3 * MS + US,
		    at + 4 * MS);
	}
	for (uint32_t i = 3; i <= 5; i++) {
		le64_put(stack, EXE + 0x10 * i);
		FEED(f, SITE, .kind = CALL_MEMCPY_ASYNC, .number = i, .count = i,
		    .frames = { stack, 8 });
		feed_frame(f, EXE + 0x10 * i, 0, "_Z4loadi", "/home/ada/app.cu", i);
	}
	run = feed_settle(f);
	assert_int_equal(run->sites, 3);
	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		assert_true(s->idle_ns > 0);
		if (shown(s)->line == 3)
			assert_true(s->behind_ns == 0);
		else if (shown(s)->line == 4)
			assert_true(s->behind_ns == s->idle_ns);
		else
			assert_true(s->behind_ns < 0.2 * s->idle_ns);
		assert_string_equal(run->kernel[0].name, "step");
		assert_int_equal(s->after, run->kernel[0].id);
	}
}
