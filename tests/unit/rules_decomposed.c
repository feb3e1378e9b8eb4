/*
 * unit/rules_decomposed.c: small matrices that a library decomposes round by round, on a few of
 * the GPU's SMs: the line that calls for it is the finding, and the gaps inside of the call are
 * no others'.
 */
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define ROUNDS 100000u

#define PY(f, n, l) { .file = f, .function = n, .line = l, .python = true }
#define SOLVER(f) { .function = f, .module = "/x/libcusolver.so.11" }
#define OPERATOR(f) { .function = f, .module = "/x/libtorch_cpu.so" }

static struct site_frame svd[] = { SOLVER("cusolverDnDgesvdj"),
	OPERATOR("at::_ops::_linalg_svd::call(at::Tensor const&)"),
	PY("/home/me/svd.py", "forward", 15) };
static struct site_frame product[] = { { .module = "/x/libcublas.so.12" },
	SOLVER("cusolverDnDpotrf"),
	OPERATOR("at::_ops::linalg_cholesky_ex::call(at::Tensor const&)"),
	PY("/home/me/svd.py", "forward", 15) };
static struct site_frame other[] = {
	OPERATOR("at::_ops::add_Tensor::call(at::Tensor const&)"),
	PY("/home/me/svd.py", "forward", 20) };
static struct site sites[4];
static struct process python = { .python = true };

static void
made_site(struct made *m, struct site_frame *frame, uint32_t frames)
{
	size_t n = m->run.sites++;

	sites[n] = (struct site){ .call = CALL_LAUNCH, .kernel = m->kernel[n].id,
	    .count = ROUNDS, .frame = frame, .frames = frames, .first = frames - 1 };
}

/* Rounds of two kernels of ${blocks} blocks, 2 s in all, with 10 us in front of each of the
 * first, for which the host is late, and a kernel of another line. */
static void
made_rounds(struct made *m, uint32_t blocks, struct site_frame *frame, uint32_t frames)
{
	static const char *const name[] = { "void gesvdbj_batch_32x16<double, double>(long)",
		"void batch_rotate<double>(long)", "work(double *)" };
	struct kernel *k;

	made_again(m);
	for (size_t i = 0; i < 3; i++) {
		k = made_kernel(m, frame == product && i < 2 ? "void potf2_kernel<double>(long)" :
		    name[i], i < 2 ? ROUNDS : 1000, 10000);
		k->shape.grid_x = i < 2 ? blocks : 1320;
		k->gap_before_ns = i == 0 ? 1000 * MS : 0;
		made_site(m, i < 2 ? frame : other, i < 2 ? frames : 2);
	}
	m->run.site = sites;
	m->run.idle_ns[IDLE_LAUNCH] = m->run.idle_total_ns = 1000 * MS;
	m->run.process = &python;
	m->run.processes = 1;
}

/* Half of the kernels' 2 s and of the gaps' second, at the line, in the framework's words. */
MADE_TEST(test_rounds)
{
	const struct finding *f;

	made_rounds(m, 9, svd, 3);
	f = made_found(m, "grid-too-small");
	assert_string_equal(f->where, "aten::_linalg_svd");
	assert_int_equal(f->site->frame[f->site->first].line, 15);
	assert_null(f->kernel);
	assert_has(f->summary, "round by round: 200,000 launches");
	assert_has(f->summary, "on 9 of 132 SMs");
	assert_has(f->advice, "torch.linalg.eigh");
	assert_has(f->gain_note, "assumed");
	assert_true(f->saves_s > 1.3 && f->saves_s < 1.6);
	assert_true(f->saves_low_s > 0.3 && f->saves_low_s < 0.7);
	assert_true(f->saves_high_s > 2 && f->saves_high_s < 3);
	assert_true(f->worth_it);
}

/* Products that the library calls for are its, too; of factors other words hold. */
MADE_TEST(test_factors)
{
	const struct finding *f;

	made_rounds(m, 9, product, 4);
	f = made_found(m, "grid-too-small");
	assert_string_equal(f->where, "aten::linalg_cholesky_ex");
	assert_has(f->advice, "torch.linalg.cholesky(x.cpu())");
	assert_lacks(f->advice, "eigh");
}

/* Without a framework it is the library's functions. */
MADE_TEST(test_own_calls)
{
	made_rounds(m, 9, svd, 1);
	assert_has(made_found(m, "grid-too-small")->advice, "cusolverDnSsyevjBatched");
}

/* Matrices that fill the GPU, a few launches, what runs beside others, and the kernels of
 * another library. */
MADE_TEST(test_none)
{
	made_rounds(m, 66, svd, 3);
	made_quiet(m, "grid-too-small");
	made_rounds(m, 9, svd, 3);
	m->kernel[0].launches = m->kernel[1].launches = 40;
	made_quiet(m, "grid-too-small");
	made_rounds(m, 9, svd, 3);
	m->kernel[0].alone_ns = m->kernel[1].alone_ns = 100 * MS;
	made_quiet(m, "grid-too-small");
	made_rounds(m, 9, svd, 3);
	svd[0].module = "/x/libcublas.so.12";
	made_quiet(m, "grid-too-small");
	svd[0].module = "/x/libcusolver.so.11";
}

/* A library's call takes no larger batch, and no graph reaches into it. */
MADE_TEST(test_inside)
{
	struct sequence *s = &m->sequence[0];

	for (int solver = 0; solver < 2; solver++) {
		made_rounds(m, 9, svd, 3);
		svd[0].module = solver ? "/x/libcusolver.so.11" : "/x/libcublas.so.12";
		*s = (struct sequence){ .length = 2, .repeats = ROUNDS, .kernel = { 1, 2 },
		    .kernel_ns = 2000 * MS, .idle_ns = 1000 * MS, .gaps = ROUNDS };
		m->run.sequences = 1;
		assert_int_equal(made_finding(made_advised(m),
		    "launch-bound-graph-candidate") != NULL, !solver);
		made_gaps(m, IDLE_HOST, 1000, 1ull << 20);
		m->kernel[0].host_before_ns = 1000 * MS;
		m->kernel[0].gap_before_ns = 2000 * MS;
		assert_int_equal(made_finding(made_advised(m), "gpu-idle-gaps") != NULL,
		    !solver);
	}
}

/* Of other gaps the host's lines are told without that of the call. */
MADE_TEST(test_beside)
{
	static struct site_frame in[] = { PY("/home/me/svd.py", "forward", 15) },
	    out[] = { PY("/home/me/loop.py", "step", 30) };
	static struct site stack[] = { { .call = CALL_NONE, .frame = in, .frames = 1 },
	    { .call = CALL_NONE, .frame = out, .frames = 1 } };
	static struct look look[100];
	const struct finding *f;

	made_rounds(m, 9, svd, 3);
	made_gaps(m, IDLE_HOST, 1000, 1ull << 21);
	for (size_t i = 0; i < 100; i++)
		look[i] = (struct look){ .at_ns = i * 30 * MS, .s = 0.02,
		    .gap = LOOK_GAP + 21, .site = &stack[i >= 60] };
	m->run.look = look;
	m->run.looks = 100;
	f = made_found(m, "gpu-idle-gaps");
	assert_int_equal(f->site->frame[f->site->first].line, 30);
	assert_has(f->limiter, "step() at loop.py:30 (100 %)");
	assert_lacks(f->limiter, "svd.py");
}

/* What repeats beside such calls is parts of a loop, which no graph contains as a whole. */
MADE_TEST(test_parts)
{
	struct sequence *s = &m->sequence[0];

	for (int within = 0; within < 2; within++) {
		made_rounds(m, 9, svd, 3);
		*s = (struct sequence){ .length = 100, .repeats = 1000, .gaps = 100000,
		    .kernel_ns = 200 * MS, .idle_ns = 1000 * MS, .span_launches = 100000,
		    .last_ns = 8000 * MS };
		for (size_t i = 0; i < SEQUENCE_MAX && i < 100; i++)
			s->kernel[i] = 3;
		m->run.sequences = 1;
		m->kernel[0].first_ns = within ? 1000 * MS : 9000 * MS;
		m->kernel[0].last_ns = within ? 7000 * MS : 9900 * MS;
		assert_int_equal(strstr(made_found(m, "launch-bound-graph-candidate")->advice,
		    "put torch.compile on the functions") != NULL, within);
	}
}
