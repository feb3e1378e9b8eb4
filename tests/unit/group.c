/*
 * One cause, one finding: findings that one change fixes are grouped, others
 * stay separate, and their seconds are added up.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/group.h"
#include "rules/made.h"
#include "unit/advise.h"

#define MS 1000000ull
#define S (1000 * MS)

static size_t
findings_of(const struct advice *a, const char *rule)
{
	size_t n = 0;

	for (size_t i = 0; i < a->findings; i++)
		n += strcmp(a->finding[i].rule, rule) == 0;
	return n;
}

/* A kernel of ${grid} blocks whose last wave has few blocks. */
static struct kernel *
tailed(struct made *m, const char *name, uint32_t grid, uint32_t block)
{
	struct kernel *k = made_kernel(m, name, 1000, 1000000);

	k->shape.grid_x = grid;
	k->shape.block_x = block;
	k->occupancy.waves = 1.1;
	return k;
}

/* Launched with three grids it is one finding with the savings of three. */
MADE_TEST(test_grids)
{
	double low = 0, mid = 0, high = 0;
	const struct finding *f;
	struct advice *a;

	for (uint32_t i = 0; i < 3; i++) {
		made_again(m);
		tailed(m, "_Z4workPf", 1162 + i, 256)->exposed_ns *= 1 + i;
		m->kernel[0].total_ns *= 1 + i;
		f = made_found(m, "tail-effect");
		assert_int_equal(f->shapes, 0);
		low += f->saves_low_s;
		mid += f->saves_s;
		high += f->saves_high_s;
	}
	made_again(m);
	for (uint32_t i = 0; i < 3; i++) {
		struct kernel *k = tailed(m, "_Z4workPf", 1162 + i, 256);

		k->exposed_ns *= 1 + i;
		k->total_ns *= 1 + i;
	}
	a = made_advised(m);
	assert_int_equal(findings_of(a, "tail-effect"), 1);
	assert_int_equal(made_verdict(a, "tail-effect")->found, 3);
	f = made_finding(a, "tail-effect");
	assert_int_equal(f->shapes, 3);
	assert_ptr_equal(f->kernel, &m->kernel[2]);
	assert_ptr_equal(f->shape[0].kernel, &m->kernel[2]);
	assert_ptr_equal(f->shape[2].kernel, &m->kernel[0]);
	assert_true(fabs(f->saves_s - mid) < 1e-9);
	assert_true(fabs(f->saves_low_s - low) < 1e-9);
	assert_true(fabs(f->saves_high_s - high) < 1e-9);
	assert_has(f->location, "grid 1162 to 1164, block 256, "
	    "3 launch shapes, 3,000 launches");
	for (int i = 0; i < 3; i++)
		assert_true(finding_about(f, &m->kernel[i]));
	assert_false(finding_about(f, NULL));
}

/* The same finding of the same program has the same id, whichever of its shapes
 * takes longest. */
MADE_TEST(test_id)
{
	char id[17] = "";

	for (int i = 0; i < 2; i++) {
		struct advice *a;

		made_again(m);
		tailed(m, "_Z4workPf", 1162, 256);
		tailed(m, "_Z4workPf", 1163, 256);
		m->kernel[i].exposed_ns *= 2;
		m->kernel[i].total_ns *= 2;
		a = made_advised(m);
		assert_ptr_equal(made_finding(a, "tail-effect")->kernel,
		    &m->kernel[i]);
		if (i > 0)
			assert_string_equal(id,
			    made_finding(a, "tail-effect")->id);
		memcpy(id, made_finding(a, "tail-effect")->id, sizeof(id));
	}
}

/* For a rule about the launch, another block size is another finding; a fault
 * of the code is the same finding for all block sizes. */
MADE_TEST(test_blocks)
{
	struct advice *a;

	tailed(m, "_Z4workPf", 1162, 256);
	tailed(m, "_Z4workPf", 1162, 512);
	a = made_advised(m);
	assert_int_equal(findings_of(a, "tail-effect"), 2);
	for (int i = 0; i < 2; i++) {
		struct kernel *k = &m->kernel[i];

		made_counters(m, k, 0.9);
		k->metric[METRIC_GLOBAL_LD_SECTORS] *= 4;
		k->metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 8;
		k->metric[METRIC_L2_READ] *= 4;
		k->metric[METRIC_L2_SECTORS] *= 2.5;
	}
	a = made_advised(m);
	assert_int_equal(findings_of(a, "uncoalesced-global-access"), 1);
	assert_int_equal(made_finding(a, "uncoalesced-global-access")->shapes,
	    2);
	assert_has(made_finding(a, "uncoalesced-global-access")->location,
	    "block 256 to 512");
}

/* Kernels whose names were lost are not grouped. */
MADE_TEST(test_nameless)
{
	struct advice *a;

	tailed(m, "(name lost)", 1162, 256);
	tailed(m, "(name lost)", 1163, 256);
	a = made_advised(m);
	assert_int_equal(findings_of(a, "tail-effect"), 2);
}

/* A factorisation: thousands of grids, each of which saves too little to
 * notice. All are counted, although only some keep their texts. */
#define GRIDS 3000

MADE_TEST(test_many)
{
	struct kernel *k = calloc(GRIDS, sizeof(*k));
	const struct finding *f;
	double each, least = 0;
	struct advice *a;

	assert_non_null(k);
	tailed(m, "_Z2luPfi", 1, 256);
	m->kernel[0].total_ns = 100000;
	m->kernel[0].exposed_ns = 100000;
	for (uint32_t i = 0; i < GRIDS; i++) {
		k[i] = m->kernel[0];
		k[i].id = i + 1;
		k[i].shape.grid_x = 1200 + i;
		least += 1e-4;
	}
	m->run.kernel = k;
	m->run.kernels = GRIDS;
	a = made_advised(m);
	assert_int_equal(findings_of(a, "tail-effect"), 1);
	f = made_finding(a, "tail-effect");
	assert_int_equal(f->shapes, GRIDS);
	each = f->shape[0].saves_s;
	assert_true(each > 0 && each < a->noise_s);
	assert_true(fabs(f->saves_s - GRIDS * each) < 1e-6);
	assert_true(f->saves_s <= least);
	assert_true(f->worth_it);
	assert_true(a->together_s >= f->saves_s * 0.999);
	free(k);
}

/* GPUs that work at the same time save it once, GPUs that work in turn twice. */
MADE_TEST(test_devices)
{
	double one, side, turns;
	struct advice *a;

	made_device(m);
	tailed(m, "_Z4workPf", 1162, 256);
	one = made_found(m, "tail-effect")->saves_s;
	tailed(m, "_Z4workPf", 1162, 256)->device = 1;
	m->device[1].kernel_ns = m->device[0].kernel_ns /= 2;
	m->run.gpus_busy_ns = m->device[0].kernel_ns;
	a = made_advised(m);
	assert_int_equal(findings_of(a, "tail-effect"), 1);
	side = made_finding(a, "tail-effect")->saves_s;
	m->run.gpus_busy_ns = 2 * m->device[0].kernel_ns;
	turns = made_found(m, "tail-effect")->saves_s;
	assert_true(fabs(side - one) < 1e-9);
	assert_true(fabs(turns - 2 * one) < 1e-9);
}

/* --- shapes that were not measured ------------------------------------------- */

/* A shape with ${blocks} blocks that fill the GPU ${waves} times, and its
 * counters: none, without faults, or with scattered loads. */
enum counted { NOTHING, SOUND, SCATTERED };

static struct kernel *
shaped(struct made *m, uint32_t blocks, double waves, enum counted c)
{
	struct kernel *k = made_kernel(m, "_Z2luPfi", 100, 1000000);

	k->shape.grid_x = blocks;
	k->occupancy.waves = waves;
	if (c == NOTHING)
		return k;
	made_counters(m, k, 0.25);
	if (c == SCATTERED) {
		k->metric[METRIC_GLOBAL_LD_SECTORS] *= 8;
		k->metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
		k->metric[METRIC_L2_READ] *= 8;
		k->metric[METRIC_L2_SECTORS] *= 4.5;
		k->metric[METRIC_DRAM_READ] *= 6;
	}
	return k;
}

#define RULE_SCATTERED "uncoalesced-global-access"

/* One of three shapes was measured: the others gain as much, but the low view
 * only counts the measured one. */
MADE_TEST(test_neighbours)
{
	const struct finding *f;
	struct gain one;
	struct advice *a;

	shaped(m, 20000, 19, SCATTERED);
	f = made_found(m, RULE_SCATTERED);
	one = (struct gain){ f->saves_low_s, f->saves_s, f->saves_high_s };
	assert_true(one.mid > 0);
	shaped(m, 10000, 9.5, NOTHING);
	shaped(m, 30000, 28.4, NOTHING);
	a = made_advised(m);
	f = made_finding(a, RULE_SCATTERED);
	assert_int_equal(findings_of(a, RULE_SCATTERED), 1);
	assert_int_equal(f->shapes, 3);
	assert_ptr_equal(f->kernel, &m->kernel[0]);
	assert_true(fabs(f->saves_s - 3 * one.mid) < 1e-9);
	assert_true(fabs(f->saves_low_s - one.low) < 1e-9);
	assert_true(fabs(f->saves_high_s - 3 * one.high) < 1e-9);
	assert_true(fabs(f->measured_ratio - 1.0 / 3) < 1e-9);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_has(f->gain_note, "measured: 1 of 3 launch "
	    "shapes, 33 % of their time");
}

/* No other shape's result is used for a grid that leaves SMs idle, for other
 * code, other block sizes, a kernel that waits, or beyond a measured shape
 * without the fault. */
MADE_TEST(test_strangers)
{
	for (int i = 0; i < 6; i++) {
		struct kernel *k;
		struct advice *a;

		made_again(m);
		shaped(m, 20000, 19, SCATTERED);
		k = shaped(m, i == 0 ? 100 : 10000, i == 0 ? 0.1 : 9.5,
		    NOTHING);
		if (i == 1)
			k->mangled = "_Z5otherPf";
		if (i == 2)
			k->shape.block_x = 128;
		if (i == 3)
			k->shape.regs = 64;
		if (i == 4)
			k->waits = true;
		if (i == 5)
			shaped(m, 10001, 9.5, SOUND);
		a = made_advised(m);
		assert_int_equal(findings_of(a, RULE_SCATTERED), 1);
		assert_false(finding_about(made_finding(a, RULE_SCATTERED), k));
	}
}

/* --- drafts made by hand ------------------------------------------------------- */

static struct site_frame frames[] = {
	{ .file = "a.cu", .line = 10 }, { .file = "a.cu", .line = 11 },
};
static struct site sites[] = {
	{ .frame = &frames[0], .frames = 1 }, { .frame = &frames[1], .frames = 1 },
};

static struct site_frame nameless[] = {
	{ .function = "void run<float>(int)", .module = "app" },
	{ .function = "void run<half>(int)", .module = "app" },
	{ .function = "void check<half>(int)", .module = "app" },
};
static struct site unlined[] = {
	{ .frame = &nameless[0], .frames = 1 },
	{ .frame = &nameless[1], .frames = 1 },
	{ .frame = &nameless[2], .frames = 1 },
};

/* Two drafts of instances of one template, or of one function. */
struct pair {
	struct kernel k[2];
	struct draft d[2];
	struct rule_view x;
	struct arena arena;
	struct run run;
};

static void
pair_make(struct pair *p, const char *first, const char *second,
    const char *category)
{
	const char *const names[] = { first, second };

	memset(p, 0, sizeof(*p));
	p->x.run = &p->run;
	p->run.devices = 1;
	p->x.arena = &p->arena;
	p->x.draft = p->d;
	p->x.drafts = 2;
	p->run.device = calloc(1, sizeof(*p->run.device));
	assert_non_null(p->run.device);
	for (uint32_t i = 0; i < 2; i++) {
		p->k[i].id = i + 1;
		p->k[i].mangled = p->k[i].name = names[i];
		p->k[i].shape.block_x = p->k[i].shape.block_y =
		    p->k[i].shape.block_z = 8;
		p->d[i].f.kernel = &p->k[i];
		p->d[i].f.category = category;
		p->d[i].f.saves_s = p->d[i].f.saves_low_s =
		    p->d[i].f.saves_high_s = 1;
		p->d[i].f.site = &sites[0];
	}
}

/* The number of findings that the two become. */
static size_t
grouped(struct pair *p)
{
	size_t n;

	for (int i = 0; i < 2; i++)
		group_key(&p->d[i]);
	group_all(&p->x);
	n = p->x.drafts;
	if (n == 1)
		assert_true(fabs(p->d[0].f.saves_s - 2) < 1e-9);
	group_clear(&p->x);
	arena_free(&p->arena);
	free(p->run.device);
	return n;
}

static void
line_of(struct draft *d, const char *file, uint32_t line)
{
	d->f.hot[d->f.hots++] = (struct hot_line){ .file = file, .line = line };
}

#define FLOATS "void ns::(anonymous namespace)::scale<float, 4>(float*, int)"
#define HALVES "void ns::(anonymous namespace)::scale<half, 8>(half*, int)"
#define OTHERS "void ns::(anonymous namespace)::shift<float, 4>(float*, int)"

TEST(test_lines)
{
	struct pair p;

	pair_make(&p, FLOATS, FLOATS, "memory");
	assert_int_equal(grouped(&p), 1);
	/* Lines of which they share one; unknown lines for one of them. */
	for (int i = 0; i < 3; i++) {
		pair_make(&p, FLOATS, FLOATS, "memory");
		line_of(&p.d[0], "k.cu", 7);
		if (i > 0)
			line_of(&p.d[1], "k.cu", 9);
		if (i > 1)
			line_of(&p.d[1], "k.cu", 7);
		assert_int_equal(grouped(&p), i == 1 ? 2 : 1);
	}
}

TEST(test_templates)
{
	struct pair p;

	/* Launched from one line. */
	pair_make(&p, FLOATS, HALVES, "launch");
	assert_int_equal(grouped(&p), 1);
	pair_make(&p, FLOATS, OTHERS, "launch");
	assert_int_equal(grouped(&p), 2);
	pair_make(&p, FLOATS, HALVES, "launch");
	p.k[1].shape.block_x = 16;
	assert_int_equal(grouped(&p), 2);
	/* Launched from different lines; from an unknown line. */
	pair_make(&p, FLOATS, HALVES, "launch");
	p.d[1].f.site = &sites[1];
	assert_int_equal(grouped(&p), 2);
	pair_make(&p, FLOATS, HALVES, "launch");
	p.d[0].f.site = p.d[1].f.site = NULL;
	assert_int_equal(grouped(&p), 2);
	/* In a program without line numbers: launched from one function, also
	 * for the grid. */
	for (int i = 0; i < 4; i++) {
		pair_make(&p, FLOATS, HALVES, i < 3 ? "launch" : "memory");
		p.d[0].f.site = &unlined[0];
		p.d[1].f.site = &unlined[i == 1 ? 2 : 1];
		p.k[1].shape.grid_x = i == 2 ? 7 : 0;
		assert_int_equal(grouped(&p), i == 0 ? 1 : 2);
	}
	/* A fault of the code must be at the same line. */
	pair_make(&p, FLOATS, HALVES, "memory");
	assert_int_equal(grouped(&p), 2);
	pair_make(&p, FLOATS, HALVES, "memory");
	line_of(&p.d[0], "k.cu", 7);
	line_of(&p.d[1], "k.cu", 7);
	assert_int_equal(grouped(&p), 1);
	/* Findings of different rules are not grouped. */
	pair_make(&p, FLOATS, FLOATS, "memory");
	p.d[1].order = 1;
	assert_int_equal(grouped(&p), 2);
}
