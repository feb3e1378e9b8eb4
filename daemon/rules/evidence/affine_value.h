/*
 * rules/evidence/affine_value.h: arithmetic on values that differ between threads
 * (affine.h). Pure. The result of anything but a sum or a product with a shared
 * value is AFFINE_UNKNOWN, or AFFINE_LOADED if it depends on loaded values.
 */
#ifndef CADV_AFFINE_VALUE_H
#define CADV_AFFINE_VALUE_H

#include "rules/evidence/affine.h"

extern const struct affine affine_unknown;
extern const struct affine affine_shared;	/* the same for a warp */

/* affine_constant(v): a number in the code; merely shared if it needs more than
 * 32 bits. */
struct affine affine_constant(int64_t v);

/* affine_is_shared(a): are its steps 0, so that all threads share it?
 * affine_is_equal(a, b): is everything that is known of both the same? */
bool affine_is_shared(const struct affine *a);
bool affine_is_equal(const struct affine *a, const struct affine *b);

struct affine affine_sum(const struct affine *a, const struct affine *b);
struct affine affine_product(const struct affine *a, const struct affine *b);
struct affine affine_negative(const struct affine *a);

/* affine_mixed(a, b): the result of an operation that is not modelled. */
struct affine affine_mixed(const struct affine *a, const struct affine *b);

/* affine_meet(a, b): the value where two paths meet, of which one brings ${a},
 * the other ${b}. */
struct affine affine_meet(const struct affine *a, const struct affine *b);

#endif
