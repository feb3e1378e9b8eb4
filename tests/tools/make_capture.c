/*
 * make_capture.c: writes a capture of an invented run for the tests of the API
 * and the page.
 *
 *   make_capture FILE [--kernels N] [--launches N] [--run HEX] [--open] [--empty]
 *       [--long] [--processes N] [--source] [--graph] [--ranges] [--sites]
 *
 * The run is a training loop with an uncoalesced kernel, pageable copies, a
 * kernel whose name is an attack on the page, a kernel that was not measured,
 * lost records and a diagnostic.
 *
 *  --kernels	adds small kernels (for paging)
 *  --launches	number of iterations
 *  --open	leaves out the end (the program never ended)
 *  --empty	leaves out all that a GPU did
 *  --long	makes a kernel's name, and that of the range of --graph, 4 kB of markup,
 *		escapes and bytes that are no text
 *  --processes	number of such targets
 *  --source	adds what the source tier measures of two kernels (make_source.c)
 *  --graph	adds a graph that is timed as a whole, inside an NVTX range
 *  --ranges	adds NVTX ranges around every iteration
 *  --sites	only small kernels, of few blocks, all measured, each launched by a
 *		line of Python
 *
 * The data is invented; whether findings are right is tested on captures of real GPUs.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "h200.h"
#include "tools/writer.h"

#define DEFAULT_RUN "00112233445566778899aabbccddeeff"
#define MOST_PROCESSES 1000
#define RANGE_NAME 1000000	/* STRING id: beyond the kernels' */
#define LAUNCHER 0x1111111111111111ull
#define CONDITIONS "{\"driver\":\"580.159.04\",\"gpus\":[{"		\
	"\"uuid\":\"00000000000000000000000000000001\","			\
	"\"throttled\":\"<b>too hot</b>\",\"power_capped\":true,\"others\":1,"	\
	"\"sm_hz\":[1.2e9,1.98e9],\"celsius\":81,\"performance_state\":0,"	\
	"\"power_limit_w\":700.0,\"pcie_generation\":5,\"pcie_lanes\":16,"	\
	"\"unknown\":1}, 7],\"governor\":\"performance\",\"environment\":{"	\
	"\"CUDA_VISIBLE_DEVICES\":\"0\",\"list\":[]},"			\
	"\"program_hash\":\"0123456789abcdef\"}"

static void
put_device(struct writer *w)
{
	PUT(w, DEVICE, .id = 0, H200_LIMITS,
	    .core_khz = 1980000, .memory_khz = 3201000,
	    .memory_bus_bits = 6144, .memory_bytes = 150754820096ull,
	    .l2_bytes = 62914560, .memory_bandwidth = 4916736000000ull,
	    .async_engines = 3, .name = STR("NVIDIA H200"),
	    .chip = STR("gh100"), .uuid = STR("00000000000000000000000000000001"));
	PUT(w, CONTEXT, .id = 1, .device = 0, .null_stream = 7,
	    .now_ns = T0 + 50 * MS);
	PUT(w, STREAM, .context = 1, .id = 7);
}

static const char *const names[] = {
	[SOFTMAX] = "_Z23softmax_forward_kernel1PfPKfii",
	[GEMM] = "_Z11gemm_kernelILi128ELi64EEvPKfS1_Pfiii",
	[HOSTILE] = "<img src=x onerror=\"alert('owned')\">&amp;<b>bold</b>",
	[FEW] = "_Z11init_kernelPfi",
};

static void
put_signature(struct writer *w, uint32_t id, const char *name, uint32_t grid,
    uint32_t block, uint32_t regs)
{
	PUT(w, STRING, .id = id, .text = STR(name));
	PUT(w, SIGNATURE, .id = id, .device = 0, .name = id, .grid_x = grid,
	    .grid_y = 1, .grid_z = 1, .block_x = block, .block_y = 1,
	    .block_z = 1, .cluster_x = 1, .cluster_y = 1, .cluster_z = 1,
	    .regs = regs, .carveout = 255);
}

/* A name as long as those of templates, made of what no name should contain. */
static const char *
long_name(void)
{
	static const char part[] = "<b onclick=\"alert(3)\">\033[m\342\200\256"
	    "</b>\t&lt;%s\r\n';--\\ \377;\"\"";
	static char name[4096];
	size_t i;

	for (i = 0; i + 1 < sizeof(name); i++)
		name[i] = part[i % (sizeof(part) - 1)];
	return name;
}

static void
put_signatures(struct writer *w, unsigned kernels, bool lengthy, bool few)
{
	char name[64];
	unsigned i;

	put_signature(w, SOFTMAX, names[SOFTMAX], 256, 32, 40);
	put_signature(w, GEMM, names[GEMM], 4096, 256, 128);
	put_signature(w, HOSTILE, lengthy ? long_name() : names[HOSTILE], 512,
	    200, 32);
	put_signature(w, FEW, names[FEW], 4, 1024, 16);
	for (i = 0; i < kernels; i++) {
		snprintf(name, sizeof(name), "small_kernel_%03u", i);
		put_signature(w, SMALL + i, name, few ? 4 + i % 64 : 132 + i,
		    few ? 100 : 128, 24);
	}
}

/* Values that a launch of ${signature} measured, by the model's metric names. */
struct value {
	enum metric_id id;
	double value;
};

static void
put_counters(struct writer *w, uint32_t signature, const struct value *v,
    size_t n)
{
	uint8_t blob[16 * METRIC_COUNT];
	size_t i, j;

	for (i = 0; i < n; i++) {
		uint64_t bits;
		uint32_t id = (uint32_t)v[i].id;

		memcpy(&bits, &v[i].value, 8);
		for (j = 0; j < 4; j++) {
			blob[16 * i + j] = (uint8_t)(id >> 8 * j);
			blob[16 * i + 4 + j] = 0;
		}
		for (j = 0; j < 8; j++)
			blob[16 * i + 8 + j] = (uint8_t)(bits >> 8 * j);
	}
	PUT(w, COUNTERS, .signature = signature, .mode = MODE_SPREAD,
	    .launches = 3, .complete = 1, .cost_ns = 12 * MS,
	    .values = { blob, (uint32_t)(16 * n) });
}

static void
put_metrics(struct writer *w, unsigned small)
{
	static const struct value softmax[] = {
		{ METRIC_SM_CYCLES_ACTIVE_AVG, 300000 },
		{ METRIC_SM_CYCLES_ELAPSED, 320000 },
		{ METRIC_OCCUPANCY, 11.5 }, { METRIC_ISSUE_ACTIVE, 6.2 },
		{ METRIC_INST_EXECUTED, 4.0e6 },
		{ METRIC_INST_ISSUED, 4.1e6 },
		{ METRIC_THREAD_INST, 1.28e8 },
		{ METRIC_THREAD_INST_PRED_ON, 1.2e8 },
		{ METRIC_DRAM_READ, 6.4e7 }, { METRIC_DRAM_WRITE, 3.2e7 },
		{ METRIC_DRAM_PCT, 22 }, { METRIC_L2_PCT, 91 },
		{ METRIC_L2_SECTORS, 3.2e7 }, { METRIC_L1_HIT_RATE, 40 },
		{ METRIC_GLOBAL_LD_SECTORS, 3.2e7 },
		{ METRIC_GLOBAL_LD_REQUESTS, 1.0e6 },
		{ METRIC_GLOBAL_LD_INST, 1.0e6 },
		{ METRIC_GLOBAL_LD_BYTES_PER_SECTOR, 4 },
		{ METRIC_GLOBAL_ST_SECTORS, 3.2e6 },
		{ METRIC_GLOBAL_ST_REQUESTS, 1.0e5 },
		{ METRIC_GLOBAL_ST_INST, 1.0e5 },
		{ METRIC_GLOBAL_ST_BYTES_PER_SECTOR, 4 },
		{ METRIC_LSU_WAVEFRONTS, 3.5e7 },
	};
	static const struct value gemm[] = {
		{ METRIC_SM_CYCLES_ACTIVE_AVG, 500000 },
		{ METRIC_SM_CYCLES_ELAPSED, 510000 },
		{ METRIC_OCCUPANCY, 24.1 }, { METRIC_ISSUE_ACTIVE, 61 },
		{ METRIC_INST_EXECUTED, 6.0e7 },
		{ METRIC_INST_ISSUED, 6.1e7 },
		{ METRIC_THREAD_INST, 1.9e9 },
		{ METRIC_THREAD_INST_PRED_ON, 1.9e9 },
		{ METRIC_DRAM_PCT, 35 }, { METRIC_L2_PCT, 40 },
		{ METRIC_GLOBAL_LD_SECTORS, 4.0e6 },
		{ METRIC_GLOBAL_LD_REQUESTS, 1.0e6 },
		{ METRIC_GLOBAL_LD_INST, 1.0e6 },
		{ METRIC_GLOBAL_LD_BYTES_PER_SECTOR, 32 },
		{ METRIC_GLOBAL_ST_SECTORS, 4.0e5 },
		{ METRIC_GLOBAL_ST_REQUESTS, 1.0e5 },
		{ METRIC_GLOBAL_ST_INST, 1.0e5 },
		{ METRIC_GLOBAL_ST_BYTES_PER_SECTOR, 32 },
		{ METRIC_SHARED_WAVEFRONTS, 9.0e6 },
		{ METRIC_SHARED_LD_WAVEFRONTS, 8.0e6 },
		{ METRIC_SHARED_ST_WAVEFRONTS, 1.0e6 },
		{ METRIC_SHARED_LD_CONFLICTS, 2.5e6 },
		{ METRIC_SHARED_ST_CONFLICTS, 1.0e4 },
		{ METRIC_SHARED_LD_INST, 5.5e6 },
		{ METRIC_SHARED_ST_INST, 9.9e5 },
		{ METRIC_PIPE_FMA, 58 },
	};
	unsigned i;

	for (i = 0; i < METRIC_COUNT; i++)
		PUT(w, METRIC, .id = i, .pass = i % 3,
		    .name = STR(metric_table[i].name));
	put_counters(w, SOFTMAX, softmax, COUNT(softmax));
	put_counters(w, GEMM, gemm, COUNT(gemm));
	for (i = 0; i < small; i++)
		put_counters(w, SMALL + i, i % 2 ? gemm : softmax,
		    i % 2 ? COUNT(gemm) : COUNT(softmax));
	PUT(w, SKIPPED, .signature = HOSTILE, .reason = SKIP_PERMISSION);
	PUT(w, SKIPPED, .signature = FEW, .reason = SKIP_TOO_FEW_LAUNCHES);
}

struct clock {
	uint64_t now;
	uint32_t correlation;
};

static void
put_kernel(struct writer *w, struct clock *c, uint32_t signature, uint64_t ns)
{
	PUT(w, KERNEL, .signature = signature, .context = 1, .stream = 7,
	    .correlation = ++c->correlation, .start_ns = c->now,
	    .end_ns = c->now + ns, .launch_ns = c->now - 5 * US, .tid = 42);
	c->now += ns + 3 * US;
}

/* A step: a pageable copy, kernels, a synchronisation, and time on the host. */
static void
put_step(struct writer *w, struct clock *c, unsigned step, unsigned kernels)
{
	uint64_t start = c->now;

	PUT(w, COPY, .device = 0, .context = 1, .stream = 7,
	    .correlation = ++c->correlation, .start_ns = c->now,
	    .end_ns = c->now + 760 * US, .launch_ns = c->now - 8 * US,
	    .bytes = 8 << 20, .kind = COPY_H2D, .src = MEMORY_PAGEABLE,
	    .dst = MEMORY_DEVICE, .tid = 42);
	PUT(w, API, .call = CALL_MEMCPY, .tid = 42,
	    .correlation = c->correlation, .start_ns = start - 8 * US,
	    .end_ns = start + 770 * US);
	/* Each copy brings other data. */
	if (step == 2)
		PUT(w, COMPARED, .correlation = c->correlation, .tid = 42,
		    .now_ns = start - 9 * US, .src_address = 0x7f0000000000,
		    .dst_address = 0x7e0000000000, .bytes = 8 << 20,
		    .compared = 8 << 20, .pages = 2048, .changed = 2048,
		    .apart = 1);
	c->now += 780 * US;
	put_kernel(w, c, SOFTMAX, 190 * US + step % 7 * US);
	put_kernel(w, c, SOFTMAX, 190 * US + step % 5 * US);
	put_kernel(w, c, GEMM, 310 * US + step % 3 * US);
	put_kernel(w, c, HOSTILE, 45 * US);
	if (kernels > 0)
		put_kernel(w, c, SMALL + step % kernels, 4 * US);
	PUT(w, SYNC, .kind = SYNC_CONTEXT, .context = 1,
	    .correlation = ++c->correlation, .tid = 42, .start_ns = c->now,
	    .end_ns = c->now + 5 * US);
	PUT(w, API, .call = CALL_DEVICE_SYNC, .tid = 42,
	    .correlation = c->correlation, .start_ns = c->now,
	    .end_ns = c->now + 6 * US);
	c->now += 400 * US;
}

struct options {
	unsigned kernels, steps, processes;
	const char *run;
	bool open, empty, lengthy, source, graph, ranges, sites;
};

static void
put_graph(struct writer *w, struct clock *c, bool lengthy)
{
	PUT(w, STRING, .id = RANGE_NAME, .text = STR(lengthy ? long_name() :
	    "step"));
	PUT(w, RANGE, .name = RANGE_NAME, .tid = 42, .start_ns = c->now,
	    .end_ns = c->now + 900 * US);
	PUT(w, GRAPH, .graph = 1, .context = 1, .stream = 7,
	    .correlation = ++c->correlation, .tid = 42,
	    .start_ns = c->now + 20 * US, .end_ns = c->now + 800 * US,
	    .launch_ns = c->now + 10 * US);
	c->now += 1 * MS;
}

static void
put_range(struct writer *w, uint32_t name, uint32_t tid, uint64_t from,
    uint64_t to)
{
	PUT(w, RANGE, .name = RANGE_NAME + name, .tid = tid, .start_ns = from,
	    .end_ns = to, .domain = name == 2 ? RANGE_NAME + 5 : 0);
}

/* A step inside an NVTX range, with two ranges inside it. */
static void
put_named_step(struct writer *w, const struct options *o, struct clock *c,
    unsigned i)
{
	uint64_t begin = c->now - 50 * US, end;
	char name[32];

	put_step(w, c, i, o->kernels);
	end = c->now - 300 * US;
	snprintf(name, sizeof(name), "step %u", i);
	PUT(w, STRING, .id = RANGE_NAME + 10 + i, .text = STR(name));
	put_range(w, 1, 42, begin + 1 * US, begin + (end - begin) / 2);
	put_range(w, 2, 42, begin + (end - begin) / 2, end - 1 * US);
	put_range(w, 10 + i, 42, begin, end);
}

static void
put_steps(struct writer *w, const struct options *o, struct clock *c)
{
	uint64_t begin = c->now - 100 * US;
	unsigned i;

	PUT(w, STRING, .id = RANGE_NAME + 1, .text = STR("forward"));
	PUT(w, STRING, .id = RANGE_NAME + 2, .text = STR("backward"));
	PUT(w, STRING, .id = RANGE_NAME + 3, .text = STR("training"));
	PUT(w, STRING, .id = RANGE_NAME + 5, .text = STR("autograd"));
	PUT(w, STRING, .id = RANGE_NAME + 4,
	    .text = STR("<img src=x onerror=alert(5)>"));
	for (i = 0; i < o->steps; i++)
		put_named_step(w, o, c, i);
	put_range(w, 3, 42, begin, c->now);
	put_range(w, 4, 0, begin + 1 * MS, c->now);
}

/* A launch site for each small kernel, with PyTorch's frames around it. */
static void
put_launch_sites(struct writer *w, unsigned kernels)
{
	static const uint8_t frames[8 * 12] = { 1 };
	char python[512];
	unsigned i;

	for (i = 0; i < kernels; i++) {
		snprintf(python, sizeof(python),
		    "/usr/lib/python3/dist-packages/torch/_ops.py\t%u\tcall\n"
		    "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py"
		    "\t116\tforward\n/home/ada/train.py\t%u\tstep\n",
		    500 + i % 7, 10 + i);
		PUT(w, SITE, .kind = CALL_LAUNCH, .key = SMALL + i, .tid = 42,
		    .count = 1 + i % 9, .frames = { frames, sizeof(frames) },
		    .python = wire_str_of(python));
	}
}

static void
put_work(struct writer *w, const struct options *o, struct clock *c)
{
	unsigned i;

	put_device(w);
	put_signatures(w, o->kernels, o->lengthy, o->sites);
	PUT(w, OVERHEAD, .kind = OVERHEAD_SETUP, .tid = 42,
	    .start_ns = T0 + 60 * MS, .end_ns = T0 + 85 * MS);
	put_kernel(w, c, FEW, 20 * US);
	if (o->ranges)
		put_steps(w, o, c);
	for (i = 0; i < o->steps && o->sites; i++)
		put_kernel(w, c, SMALL + i % o->kernels, 20 * US);
	for (i = 0; i < o->steps && !o->ranges && !o->sites; i++)
		put_step(w, c, i, o->kernels);
	if (o->graph)
		put_graph(w, c, o->lengthy);
	put_metrics(w, o->sites ? o->kernels : 0);
	if (o->source)
		put_source(w);
	if (o->sites)
		put_launch_sites(w, o->kernels);
}

static void
put_target(struct writer *w, const struct options *o, unsigned process,
    uint64_t *end)
{
	struct clock c = { T0 + 300 * MS, 0 };

	PUT(w, HELLO, .protocol = WIRE_PROTOCOL,
	    .level = o->source ? LEVEL_SOURCE : LEVEL_COUNTERS,
	    .pid = 4242 + process, .ppid = 4241, .start_ns = T0 + 2 * MS,
	    .now_ns = T0 + 10 * MS, .now_mono_ns = 10 * MS,
	    .cupti_version = 130000, .driver_version = 13000, .run = STR(o->run),
	    .library = STR("0.1.0"), .host = STR("gpu-node-7"),
	    .exe = STR("/home/ada/train"), .command = STR("./train --epochs 1"),
	    .cwd = STR("/home/ada"));
	if (!o->empty)
		put_work(w, o, &c);
	PUT(w, DIAGNOSTIC, .code = DIAG_PERMISSION,
	    .severity = SEVERITY_WARNING, .error = 35, .now_ns = c.now,
	    .where = STR("counters"), .text = STR("the driver lets only "
	    "administrators read counters of <script>alert(1)</script>"));
	/* The set-up that OVERHEAD also reports, and 42 other holds. */
	PUT(w, HELD, .count = 42, .total_ns = 310 * MS, .longest_ns = 48 * MS,
	    .setup_ns = 25 * MS, .setup_longest_ns = 25 * MS,
	    .limit_ns = 100 * MS);
	PUT(w, LOSS, .class = LOSS_QUEUE, .count = 17, .now_ns = c.now);
	if (!o->open)
		PUT(w, BYE, .now_ns = c.now + MS, .reason = BYE_EXIT,
		    .records = w->sequence + w->records, .lost = 17);
	writer_flush(w);
	*end = c.now + 20 * MS;
}

static void
write_capture(const char *path, const struct options *o)
{
	struct writer w = { .stream = LAUNCHER };
	struct writer t = { .stream = TARGET };
	struct writer d = { .stream = DAEMON };
	uint64_t end = T0;
	unsigned i;

	w.file = t.file = d.file = fopen(path, "wb");
	w.frame = malloc(FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD);
	t.frame = malloc(FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD);
	d.frame = malloc(FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD);
	if (w.file == NULL || w.frame == NULL || t.frame == NULL ||
	    d.frame == NULL)
		die(path);
	PUT(&w, RUN_BEGIN, .now_ns = T0, .run = STR(o->run),
	    .command = STR("./train --epochs 1"), .cwd = STR("/home/ada"),
	    .host = STR("gpu-node-7"), .label = STR(""),
	    .version = STR("0.1.0"),
	    .level = o->source ? LEVEL_SOURCE : LEVEL_COUNTERS,
	    .budget = 0.05, .uid = 1000);
	writer_flush(&w);
	for (i = 0; i < o->processes; i++) {
		t.stream = TARGET + i;
		t.sequence = 0;
		put_target(&t, o, i, &end);
	}
	if (o->source)
		put_disassembly(&d);
	if (!o->open)
		PUT(&w, RUN_END, .start_ns = T0, .end_ns = end,
		    .user_s = 1.5, .system_s = 0.2,
		    .max_rss_bytes = 500 << 20, .conditions = {
		    (const uint8_t *)CONDITIONS, sizeof(CONDITIONS) - 1 });
	writer_flush(&w);
	if (fclose(w.file) != 0)
		die(path);
	free(w.frame);
	free(t.frame);
	free(d.frame);
}

static unsigned
number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end != '\0' || n > 100000000) {
		fprintf(stderr, "'%s' is no number\n", text);
		exit(2);
	}
	return (unsigned)n;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "kernels", required_argument, NULL, 'k' },
		{ "launches", required_argument, NULL, 'l' },
		{ "run", required_argument, NULL, 'r' },
		{ "open", no_argument, NULL, 'o' },
		{ "empty", no_argument, NULL, 'e' },
		{ "long", no_argument, NULL, 'L' },
		{ "processes", required_argument, NULL, 'p' },
		{ "source", no_argument, NULL, 's' },
		{ "graph", no_argument, NULL, 'g' },
		{ "ranges", no_argument, NULL, 'R' },
		{ "sites", no_argument, NULL, 'S' },
		{ NULL, 0, NULL, 0 }
	};
	struct options o = { .steps = 500, .processes = 1, .run = DEFAULT_RUN };
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 'k':
			o.kernels = number(optarg);
			break;
		case 'l':
			o.steps = number(optarg);
			break;
		case 'r':
			o.run = optarg;
			break;
		case 'o':
			o.open = true;
			break;
		case 'e':
			o.empty = true;
			break;
		case 'L':
			o.lengthy = true;
			break;
		case 'p':
			o.processes = number(optarg);
			if (o.processes > MOST_PROCESSES)
				return 2;
			break;
		case 's':
			o.source = true;
			break;
		case 'g':
			o.graph = true;
			break;
		case 'R':
			o.ranges = true;
			break;
		case 'S':
			o.sites = true;
			break;
		default:
			return 2;
		}
	if (optind != argc - 1) {
		fprintf(stderr, "usage: make_capture FILE [--kernels N] "
		    "[--launches N] [--run HEX] [--open] [--empty] "
		    "[--long] [--processes N] [--source] [--graph] "
		    "[--ranges] [--sites]\n");
		return 2;
	}
	write_capture(argv[optind], &o);
	return 0;
}
