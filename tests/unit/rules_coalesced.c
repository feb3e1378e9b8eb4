/*
 * unit/rules_coalesced.c: sparse matrices that each product with them coalesces: what a graph of
 * the step is waiting for, and more than it saves.
 */
#include <string.h>

#include "unit/advise.h"

#define MS 1000000ull
#define STEPS 500u
#define EACH 10u		/* launches of a product's coalescing, in a step */

#define PY(of, in, at) { .file = (of), .function = (in), .line = (at), .python = true }
#define TORCH(name) { .module = "libtorch_cuda.so", .function = (name) }
#define COALESCE TORCH("at::native::_coalesce_sparse_cuda(at::Tensor const&)"),	\
	TORCH("at::_ops::_coalesce::call(at::Tensor const&)")
#define PRODUCT TORCH("at::native::s_addmm_out_sparse_dense_cuda(at::Tensor&)")

static struct site_frame back[] = { COALESCE, PRODUCT,
    TORCH("torch::autograd::Engine::thread_main(int)") };
static struct site_frame first[] = { PY("/a/cell.py", "gconv", 143), COALESCE, PRODUCT };
static struct site_frame second[] = { PY("/a/cell.py", "gconv", 147), COALESCE, PRODUCT };
static struct site_frame embedded[] = { PY("/a/train.py", "step", 50), COALESCE,
    TORCH("at::_ops::_sparse_addmm::call(int)") };
static struct site_frame around[] = { PY("/a/cell.py", "gconv", 143), PRODUCT };
static struct site_frame other[] = { PY("/a/cell.py", "gconv", 150),
    TORCH("at::_ops::add_Tensor::call(int)") };
static struct site_frame waiting[] = { PY("/a/cell.py", "gconv", 143), COALESCE, PRODUCT };
static struct site sites[8];
static struct process python = { .python = true };

enum { SORT = 1, COPY, SUM, ADD };

static void
made_site(struct made *m, unsigned call, uint32_t kernel, uint64_t n, struct site_frame *frame,
    uint32_t frames)
{
	sites[m->run.sites++] = (struct site){ .call = call, .kernel = kernel, .count = n,
	    .frame = frame, .frames = frames };
}

#define SITE(m, call, kernel, n, of) made_site((m), (call), (kernel), (n), (of),		\
	sizeof(of) / sizeof((of)[0]))

/* Steps of which ${coalescing} of 20 launches coalesce, 2 are of the product around, with 20 us
 * in front of each, and ${waits} in them that are the coalescing's. */
static void
made_products(struct made *m, uint32_t coalescing, uint64_t waits)
{
	struct sequence *s = &m->sequence[0];
	static const char *const name[] = { "void merge_sort(long)",
		"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel>(int)",
		"void cusparse::csrmm_alg1_kernel<float>(int)",
		"void at::native::vectorized_elementwise_kernel<4, int>(int)" };
	uint32_t n[] = { coalescing, 1, 1, 18 - coalescing };

	made_again(m);
	*s = (struct sequence){ .length = 20, .repeats = STEPS, .gaps = 19 * STEPS,
	    .kernel_ns = 50 * MS, .idle_ns = 190 * MS, .syncs = waits, .last_ns = 900 * MS };
	for (size_t i = 0, at = 0; i < 4; i++) {
		struct kernel *k = made_kernel(m, name[i], n[i] * STEPS, 5000);

		k->gap_before_ns = n[i] * STEPS * 20000ull;
		for (size_t j = 0; j < n[i]; j++)
			s->kernel[at++] = k->id;
	}
	m->run.sequences = 1;
	SITE(m, CALL_LAUNCH, SORT, 3, first);
	SITE(m, CALL_LAUNCH, SORT, 5, second);
	SITE(m, CALL_LAUNCH, COPY, 8, around);
	SITE(m, CALL_LAUNCH, SUM, 8, around);
	SITE(m, CALL_LAUNCH, ADD, 8, other);
	SITE(m, CALL_STREAM_SYNC, 0, 20, waiting);
	SITE(m, CALL_STREAM_SYNC, 0, 10, back);
	sites[m->run.sites - 1].first = 3;
	m->run.site = sites;
	m->run.idle_ns[IDLE_LAUNCH] = m->run.idle_total_ns = 20 * STEPS * 20000ull;
	m->run.process = &python;
	m->run.processes = 1;
}

static const struct finding *
found(struct made *m)
{
	return made_found(m, "launch-bound-graph-candidate");
}

static bool
is_coalesced(struct made *m)
{
	return strstr(found(m)->summary, "coalesced anew") != NULL;
}

/* In place of the list of waits it says so, at the line with most of them, and counts the gaps in
 * front of the launches that go, of which half at least. */
MADE_TEST(test_products)
{
	const struct finding *f;

	made_products(m, EACH, STEPS);
	f = found(m);
	assert_has(f->summary, "coalesced anew for each product: 5,000 launches");
	assert_has(f->advice, "to_dense()");
	assert_lacks(f->advice, "x[mask]");
	assert_has(f->good_code, "torch.mm(adj, h)");
	assert_int_equal(f->site->frame[f->site->first].line, 143);
	assert_true(f->saves_s > 0.09 && f->saves_s < 0.2);
	assert_true(f->saves_low_s > 0.04 && f->saves_low_s < f->saves_s);
	assert_true(f->saves_high_s > f->saves_s);
}

/* Few launches that have the waits: it is what bars the graph. */
MADE_TEST(test_waits)
{
	made_products(m, 2, STEPS);
	assert_true(is_coalesced(m));
	/* Or they have none, or others have more. */
	made_products(m, 2, 0);
	assert_false(is_coalesced(m));
	made_products(m, 2, STEPS);
	SITE(m, CALL_STREAM_SYNC, 0, 40, other);
	assert_false(is_coalesced(m));
	assert_has(found(m)->advice, "x[mask]");
}

/* The gradient of an embedding is another each time. */
MADE_TEST(test_gradients)
{
	made_products(m, EACH, STEPS);
	for (size_t i = 0; i < m->run.sites; i++)
		if (sites[i].frame != other)
			sites[i].frame = embedded;
	for (size_t i = 0; i < m->run.sites; i++) {
		sites[i].frames = sites[i].frame == embedded ? 4 : sites[i].frames;
		sites[i].first = 0;
	}
	assert_false(is_coalesced(m));
}
