/*
 * unit/rules_looped.c: loops that XLA has compiled, whose turns the host launches one by one.
 */
#include <math.h>
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define LOOKS 80
#define TURNS 400000
#define PY(of, in, at) { .file = (of), .function = (in), .line = (at), .python = true }
#define GRAPH { .module = "libcuda.so.1", .function = "cuGraphLaunch" }
#define WHILE { .module = "xla_cuda_plugin.so", .function = "xla::gpu::WhileThunk::Execute()" }

/* A rollout that is scanned (202), and what is around it (198). */
#define TRAIN PY("/a/run.py", "train", 9)
static struct site_frame turn[] = { PY("/a/sim.py", "rollout", 202), TRAIN, GRAPH, WHILE };
static struct site_frame around[] = { PY("/a/sim.py", "rollout", 198), TRAIN };
static struct site sites[1], scanning, other;
static struct look look[LOOKS];
static struct process python;
static struct xla_module module;

/* 400,000 turns whose launches the GPU waits 3 s for, and 1,000 gaps of 2 ms around them. */
static void
made_scanned(struct made *m)
{
	made_again(m);
	fault_good(m);
	made_gaps(m, IDLE_HOST, 1000, 2 * MS);
	made_gaps(m, IDLE_LAUNCH, TURNS, 7500);
	m->run.launches = 10 * TURNS;
	m->sequence[0] = (struct sequence){ .length = 9, .repeats = TURNS, .in_graph = true,
	    .nodes = 9 * TURNS };
	m->run.sequence = m->sequence;
	m->run.sequences = 1;
	sites[0] = (struct site){ .call = CALL_GRAPH_LAUNCH, .count = 100, .frame = turn,
	    .frames = 4 };
	m->run.site = sites;
	m->run.sites = 1;
	python = (struct process){ .python = true };
	m->run.process = &python;
	m->run.processes = 1;
	m->run.xla_module = &module;
	m->run.xla_modules = 1;
	scanning = (struct site){ .call = CALL_NONE, .frame = turn, .frames = 2 };
	other = (struct site){ .call = CALL_NONE, .frame = around, .frames = 2 };
	for (size_t i = 0; i < LOOKS; i++)
		look[i] = i < 50 ? (struct look){ .s = 0.06, .gap = LOOK_LAUNCH,
		    .site = &scanning } : (struct look){ .s = 0.06, .gap = LOOK_GAP + 20,
		    .site = &other };
	m->run.look = look;
	m->run.looks = LOOKS;
}

/* The finding about the loop, or about what is around it; NULL. */
static const struct finding *
about(struct made *m, bool loop)
{
	const struct advice *a = made_advised(m);

	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].rule, "gpu-idle-gaps") == 0 && loop ==
		    (strstr(a->finding[i].summary, "turns of a compiled loop") != NULL))
			return &a->finding[i];
	return NULL;
}

/* The turns' launches are one finding, at the line of the loop; the gaps around another. */
MADE_TEST(test_both)
{
	const struct finding *f;

	made_scanned(m);
	f = about(m, true);
	assert_non_null(f);
	assert_int_equal(f->site->frame[f->site->first].line, 202);
	assert_true(fabs(f->saves_s - 1.5) < 0.01 && fabs(f->saves_high_s - 2.625) < 0.01);
	f = about(m, false);
	assert_non_null(f);
	assert_true(f->saves_s > 1 && f->saves_high_s < 2.2);
	assert_true(f->site == NULL || f->site->frame[f->site->first].line != 202);
}

/* A jitted step that Python calls launches its graph in no loop; what is launched kernel by
 * kernel is launch-bound-graph-candidate's; and few looks tell nothing. */
MADE_TEST(test_no_loop)
{
	made_scanned(m);
	sites[0].frames = 3;
	assert_null(about(m, true));
	made_scanned(m);
	m->sequence[0].in_graph = false;
	assert_null(about(m, true));
	made_scanned(m);
	m->sequence[0].nodes = TURNS;
	assert_null(about(m, true));
	made_scanned(m);
	m->run.looks = 20;
	assert_null(about(m, true));
	made_scanned(m);
	m->run.xla_modules = 0;
	assert_null(about(m, true));
}
