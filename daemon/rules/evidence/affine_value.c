/*
 * rules/evidence/affine_value.c: sums and products of values, see affine_value.h.
 */
#include "rules/evidence/affine_value.h"

const struct affine affine_unknown = { .kind = AFFINE_UNKNOWN };
const struct affine affine_shared = { .kind = AFFINE_STEPS };

struct affine
affine_constant(int64_t v)
{
	if (v < INT32_MIN || v > UINT32_MAX)
		return affine_shared;
	return (struct affine){ .kind = AFFINE_STEPS, .constant = true,
	    .value = (int32_t)(uint32_t)v };
}

bool
affine_is_shared(const struct affine *a)
{
	return a->kind == AFFINE_STEPS && a->x == 0 && a->y == 0;
}

bool
affine_is_equal(const struct affine *a, const struct affine *b)
{
	return a->kind == b->kind && a->constant == b->constant &&
	    a->x == b->x && a->y == b->y && a->value == b->value;
}

static int32_t
step_sum(int32_t a, int32_t b)
{
	int64_t sum = (int64_t)a + b;

	if (a == 0 || b == 0)
		return a == 0 ? b : a;
	/* An unknown step plus a constant one stays unknown. */
	if (a == AFFINE_SOME || b == AFFINE_SOME ||
	    sum >= INT32_MAX || sum <= -INT32_MAX)
		return AFFINE_SOME;
	return (int32_t)sum;
}

static int32_t
step_times(int32_t a, const struct affine *by)
{
	int64_t product;

	if (a == 0 || (by->constant && by->value == 0))
		return 0;
	if (!by->constant || a == AFFINE_SOME)
		return AFFINE_SOME;
	product = (int64_t)a * by->value;
	return product >= INT32_MAX || product <= -INT32_MAX ? AFFINE_SOME :
	    (int32_t)product;
}

/* The result of an operation on two values that is not modelled. */
struct affine
affine_mixed(const struct affine *a, const struct affine *b)
{
	if (a->kind == AFFINE_UNSET || b->kind == AFFINE_UNSET)
		return affine_unknown;
	if (affine_is_shared(a) && affine_is_shared(b))
		return affine_shared;
	if (a->kind == AFFINE_UNKNOWN || b->kind == AFFINE_UNKNOWN)
		return affine_unknown;
	if (a->kind == AFFINE_LOADED || b->kind == AFFINE_LOADED)
		return (struct affine){ .kind = AFFINE_LOADED };
	return affine_unknown;
}

struct affine
affine_sum(const struct affine *a, const struct affine *b)
{
	struct affine r = affine_shared;

	if (a->kind != AFFINE_STEPS || b->kind != AFFINE_STEPS)
		return affine_mixed(a, b);
	if (a->constant && b->constant)
		return affine_constant((int64_t)a->value + b->value);
	r.x = step_sum(a->x, b->x);
	r.y = step_sum(a->y, b->y);
	return r;
}

struct affine
affine_product(const struct affine *a, const struct affine *b)
{
	struct affine r = affine_shared;

	if (a->kind != AFFINE_STEPS || b->kind != AFFINE_STEPS)
		return affine_mixed(a, b);
	if (a->constant && b->constant)
		return affine_constant((int64_t)a->value * b->value);
	if (!affine_is_shared(a) && !affine_is_shared(b))
		return affine_unknown;
	if (affine_is_shared(a)) {
		r.x = step_times(b->x, a);
		r.y = step_times(b->y, a);
	} else {
		r.x = step_times(a->x, b);
		r.y = step_times(a->y, b);
	}
	return r;
}

struct affine
affine_negative(const struct affine *a)
{
	const struct affine minus = affine_constant(-1);

	return affine_product(a, &minus);
}

/* The value where two paths meet. */
struct affine
affine_meet(const struct affine *a, const struct affine *b)
{
	if (a->kind == AFFINE_UNSET)
		return *b;
	if (b->kind == AFFINE_UNSET || affine_is_equal(a, b))
		return *a;
	if (affine_is_shared(a) && affine_is_shared(b))
		return affine_shared;
	if (a->kind == AFFINE_STEPS && b->kind == AFFINE_STEPS &&
	    a->x == b->x && a->y == b->y)
		return (struct affine){ .kind = AFFINE_STEPS, .x = a->x,
		    .y = a->y };
	return affine_mixed(a, b);
}
