/*
 * rules/evidence/affine_value.h: arithmetic on values that differ from thread to thread
 * (affine.h). Pure. What is not a sum or product with a shared value is
 * AFFINE_UNKNOWN, or AFFINE_LOADED where it rests on what was loaded.
 */
#ifndef CADV_AFFINE_VALUE_H
#define CADV_AFFINE_VALUE_H

#include "rules/evidence/affine.h"

extern const struct affine affine_unknown;
extern const struct affine affine_shared;	/* the same for a warp */

/* affine_constant(v): a number in the code; shared if it has over 32 bits. */
struct affine affine_constant(int64_t v);

bool affine_is_shared(const struct affine *a);
bool affine_is_equal(const struct affine *a, const struct affine *b);

struct affine affine_sum(const struct affine *a, const struct affine *b);
struct affine affine_product(const struct affine *a, const struct affine *b);
struct affine affine_negative(const struct affine *a);

/* affine_mixed(a, b): what follows from both in a way not looked into. */
struct affine affine_mixed(const struct affine *a, const struct affine *b);

/* affine_meet(a, b): one or the other, by the way that led there. */
struct affine affine_meet(const struct affine *a, const struct affine *b);

#endif
