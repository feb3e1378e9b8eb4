/*
 * unfused-attention: a matrix product, a softmax, and a matrix product again:
 * each operator in between writes and reads the scores of all pairs of positions.
 * A fused kernel keeps a tile of them on the chip and never writes them.
 *
 * A classifier's last layers have the same order, but a short softmax; here the
 * softmax and the operators that scale and mask take a good part of the time.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/steps.h"

#define BESIDE 4	/* kernels between a product and the softmax: scale,
			 * mask, convert, dropout */

/* What is left of the operators between the products, and of the products: a
 * fused kernel does them with less traffic and more work per warp. */
static const double left_between[VIEWS] = { 0.2, 0.05, 0 };
static const double left_products[VIEWS] = { 1, 0.9, 0.5 };

struct attention {
	double times, between_s, products_s;
	const struct kernel *softmax;
	double most_s;
};

static bool
is_beside(const struct rule_view *x, const struct kernel *k)
{
	return steps_pointwise(x, k) || steps_does(x, k, "random") ||
	    steps_does(x, k, "fill");
}

/* The number of kernels between the softmax at ${i} and the product behind it,
 * or with ${back} before it; SIZE_MAX: there is no such product. */
static size_t
beside(const struct rule_view *x, const struct sequence *s, size_t i, bool back)
{
	size_t n = steps_length(s);

	for (size_t between = 0; between <= BESIDE; between++) {
		const struct kernel *k;

		if (s->length > n && i == (back ? 0 : n - 1))
			return SIZE_MAX;	/* the step is longer than what
						 * is recorded */
		i = (i + (back ? n - 1 : 1)) % n;
		k = steps_kernel(x, s, i);
		if (steps_does(x, k, "matmul"))
			return between;
		if (k == NULL || !is_beside(x, k))
			return SIZE_MAX;
	}
	return SIZE_MAX;
}

static void
note(const struct rule_view *x, const struct kernel *k, double times,
    const double left[VIEWS], struct gone *gone)
{
	for (int v = 0; v < VIEWS; v++)
		gone[k - x->run->kernel].launches[v] += times * (1 - left[v]);
}

/* Adds the softmax at ${i} with ${before} kernels before and ${behind} behind it. */
static void
add(const struct rule_view *x, const struct sequence *s, size_t i,
    size_t before, size_t behind, struct attention *a, struct gone *gone)
{
	size_t n = steps_length(s), from = i + n - before - 1;
	size_t length = before + behind + 3;
	double times = (double)s->repeats, between = 0, products = 0;

	for (size_t j = 0; j < length; j++) {
		const struct kernel *k = steps_kernel(x, s, (from + j) % n);
		bool product = j == 0 || j + 1 == length;

		*(product ? &products : &between) += steps_mean_s(k);
	}
	if (between < rule_value(x, "min_share") * (between + products))
		return;
	for (size_t j = 0; j < length; j++)
		note(x, steps_kernel(x, s, (from + j) % n), times,
		    j == 0 || j + 1 == length ? left_products : left_between,
		    gone);
	a->times += times;
	a->between_s += times * between;
	a->products_s += times * products;
	if (times * between > a->most_s) {
		a->most_s = times * between;
		a->softmax = steps_kernel(x, s, i);
	}
}

static void
search(const struct rule_view *x, const struct sequence *s, void *a,
    struct gone *gone)
{
	size_t n = steps_length(s);

	for (size_t i = 0; i < n && n >= 3; i++) {
		size_t before, behind;

		if (!steps_does(x, steps_kernel(x, s, i), "softmax"))
			continue;
		before = beside(x, s, i, true);
		behind = beside(x, s, i, false);
		if (before != SIZE_MAX && behind != SIZE_MAX &&
		    before + behind + 3 <= n)
			add(x, s, i, before, behind, a, gone);
	}
}

static enum rule_state
found(struct rule_view *x, const struct attention *a, const struct gone *gone)
{
	struct draft *d = steps_found(x, "attention", gone, a->softmax);
	double all = a->between_s + a->products_s;

	if (d == NULL)
		return RULE_NOT_MEASURED;
	d->f.where = "attention";
	d->f.location = arena_format(x->arena, "product, softmax, product: "
	    "%s times", say_whole(x->arena, a->times));
	rule_evidence(x, d, "repeats", a->times,
	    "products with a softmax between them",
	    .measured = "kernel records and names", .unit = "repeat",
	    .key = "min_repeats");
	rule_evidence(x, d, "between_ratio", a->between_s / all,
	    "part of their time between the products",
	    .measured = "kernel records", .key = "min_share");
	rule_evidence(x, d, "all_s", all, "products and what is between them",
	    .measured = "kernel records");
	d->f.summary = arena_format(x->arena, "attention in single operators: %s "
	    "between the two products is %s of its %s",
	    say_seconds(x->arena, a->between_s),
	    say_percent(x->arena, a->between_s / all),
	    say_seconds(x->arena, all));
	d->f.limiter = "the scores of all pairs of positions go through memory "
	    "once per operator";
	d->f.advice = "call torch.nn.functional.scaled_dot_product_attention("
	    "q, k, v, is_causal=…), in 16-bit types; what is added to the scores (a bias, "
	    "relative positions, a mask) goes as attn_mask, or into the score_mod of "
	    "flex_attention; the scores stay on the chip, and memory no longer grows with "
	    "the square of the length";
	d->f.gain_note = "what lies between the products goes; the products stay "
	    "about as long as they are";
	d->f.bad_code = "w = torch.softmax(q @ k.transpose(-2, -1) * scale, -1)\n"
	    "y = w @ v";
	d->f.good_code = "y = F.scaled_dot_product_attention(q, k, v)";
	return RULE_FOUND;
}

enum rule_state
rule_unfused_attention(struct rule_view *x)
{
	struct attention a = { .times = 0 };
	const struct gone *gone = steps_search(x, search, &a);

	if (gone == NULL)
		return RULE_NOT_MEASURED;
	return a.softmax == NULL ? RULE_CLEAN : found(x, &a, gone);
}
