/*
 * unit/rules_fresh.c: convolutions and products of ever new sizes, for each of which their
 * libraries plan anew.
 */
#include <math.h>
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define S (1000 * MS)
#define SIZES 200

#define CONVOLUTION "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nhwckrsc_nchw_tilesize128"
#define POINTWISE "void at::native::vectorized_elementwise_kernel<4, int>(int)"

static struct kernel kernels[SIZES + 1];
static struct site sites[SIZES + 1];
static struct site_frame frames[] = {
	{ .file = "/a/model.py", .function = "forward", .line = 60, .python = true },
	{ .file = "/a/train.py", .function = "step", .line = 30, .python = true },
	{ .file = "/a/train.py", .function = "<module>", .line = 90, .python = true },
	{ .module = "libtorch_cuda.so" } };

/* A loop of nine seconds: one kernel in all of it, and SIZES shapes of ${name}, each of four
 * launches, new from the loop's start to the part ${until} of it, with ${ns} in front of
 * each launch. */
static void
made_sizes(struct made *m, const char *name, double until, uint64_t ns)
{
	made_again(m);
	made_kernel(m, POINTWISE, 10000, 50000);
	made_kernel(m, name, 4, 50000);
	m->kernel[0].first_ns = 1 * S;
	m->kernel[0].last_ns = 10 * S;
	kernels[0] = m->kernel[0];
	for (uint32_t i = 1; i <= SIZES; i++) {
		kernels[i] = m->kernel[1];
		kernels[i].id = i + 1;
		kernels[i].shape.grid_x = i;
		kernels[i].first_ns = 1 * S + (uint64_t)((double)(9 * S) * until * i / SIZES);
		kernels[i].last_ns = kernels[i].first_ns;
		kernels[i].host_before_ns = 4 * ns;
	}
	for (uint32_t i = 0; i <= SIZES; i++)
		sites[i] = (struct site){ .call = CALL_LAUNCH, .kernel = i + 1,
		    .count = 1, .frame = frames, .frames = 4 };
	m->run.kernel = kernels;
	m->run.kernels = SIZES + 1;
	m->run.site = sites;
	m->run.sites = SIZES + 1;
	made_gaps(m, IDLE_HOST, 4000, 1 * MS);
}

static const struct finding *
found_sizes(struct made *m)
{
	struct advice *a = made_advised(m);

	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].rule, "gpu-idle-gaps") == 0 &&
		    strstr(a->finding[i].summary, "ever new sizes") != NULL)
			return &a->finding[i];
	return NULL;
}

/* Sizes that are new to the end are a finding of their own: at the line that calls the model,
 * and what is planned goes. What the host takes from launch to launch anyway stays. */
MADE_TEST(test_new_to_the_end)
{
	const struct finding *f;

	made_sizes(m, CONVOLUTION, 1, 2 * MS);
	assert_non_null(f = found_sizes(m));
	assert_has(f->summary, "convolutions and products of ever new sizes: 101 of their 200 "
	    "launch shapes were new in the second half of the run, and the GPU waits 1.6 s");
	assert_has(f->advice, "pad inputs to a few sizes");		/* PyTorch's words */
	assert_has(f->advice, "torch.backends.cudnn.benchmark=True makes that worse");
	assert_has(f->location, "800 launches of sizes that come seldom, most of it within");
	assert_int_equal(f->site->frame[f->site->first].line, 60);
	assert_true(fabs(f->saves_s - 0.8 * 1.6) < 0.01);
	assert_true(fabs(f->saves_low_s - 0.3 * 1.6) < 0.01);
	assert_true(fabs(f->saves_high_s - 1.6) < 0.01);
	/* Trials that do not end with the first steps are no warm-up. */
	frames[3].function = "cudnn_frontend::time_sorted_plan<1>()";
	assert_non_null(found_sizes(m));
	frames[3].function = NULL;
	kernels[0].host_before_ns = 10000 * MS / 2;	/* 0.5 ms for each launch */
	assert_true(fabs(found_sizes(m)->saves_high_s - 1.2) < 0.01);
}

/* Matrix products, too; of shapes that many sizes share half in the middle, and no more than
 * the others have. */
MADE_TEST(test_beside)
{
	made_sizes(m, "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32", 1, 2 * MS);
	kernels[1].launches = 1000;
	kernels[1].last_ns = 10 * S;
	kernels[1].host_before_ns = 800 * MS;
	assert_true(fabs(found_sizes(m)->saves_s - 0.8 * (1.592 + 0.4)) < 0.01);
	kernels[1].host_before_ns = 8000 * MS;
	assert_true(fabs(found_sizes(m)->saves_high_s - 2 * 1.592) < 0.01);
}

/* Nothing is said of a loop that warms up, of one more phase, of a row of phases, of shapes
 * that each step has, of a few, of pointwise kernels, of little in front of them, and of
 * XLA's programs. */
MADE_TEST(test_no_new_sizes)
{
	struct xla_module module = { .first_ns = 0 };

	made_sizes(m, CONVOLUTION, 0.5, 2 * MS);
	assert_null(found_sizes(m));
	made_sizes(m, CONVOLUTION, 0.8, 2 * MS);	/* over before the end */
	assert_null(found_sizes(m));
	made_sizes(m, CONVOLUTION, 1, 2 * MS);
	for (int i = 1; i <= SIZES; i++)		/* a phase, as is evaluation */
		kernels[i].first_ns = (i <= SIZES / 2 ? 1 : 7) * S + (uint64_t)i * MS;
	assert_null(found_sizes(m));
	made_sizes(m, CONVOLUTION, 1, 2 * MS);
	kernels[0].last_ns = 6 * S;
	assert_null(found_sizes(m));
	made_sizes(m, CONVOLUTION, 1, 2 * MS);
	for (int i = 1; i <= SIZES; i++)
		kernels[i].launches = 40;
	assert_null(found_sizes(m));
	made_sizes(m, CONVOLUTION, 1, 2 * MS);
	m->run.kernels = m->run.sites = 70;		/* 9 or fewer in a quarter */
	for (int i = 1; i < 70; i++)
		kernels[i].first_ns = 1 * S + (uint64_t)i * 9 * S / 70;
	assert_null(found_sizes(m));
	made_sizes(m, POINTWISE, 1, 2 * MS);
	assert_null(found_sizes(m));
	made_sizes(m, CONVOLUTION, 1, MS / 8);		/* as growing sequences have */
	assert_null(found_sizes(m));
	made_sizes(m, CONVOLUTION, 1, 2 * MS);
	assert_non_null(found_sizes(m));
	frames[3].module = "xla_cuda_plugin.so";
	assert_null(found_sizes(m));
	frames[3].module = "libtorch_cuda.so";
	m->run.xla_module = &module;
	m->run.xla_modules = 1;
	assert_null(found_sizes(m));
}

/* Where the model could tell no more shapes apart, the time until then is judged. */
MADE_TEST(test_table_full)
{
	struct process p = { .python = true };

	made_sizes(m, CONVOLUTION, 0.5, 2 * MS);
	m->run.process = &p;
	m->run.processes = 1;
	assert_null(found_sizes(m));
	p.lost[LOSS_TABLE] = 1;
	assert_non_null(found_sizes(m));
}
