#include <math.h>
#include <stdint.h>

#include "facts/warp.h"
#include "model/model.h"

#include "rules/evidence/shape.h"

#define WASTE 1.25		/* sectors / ideal: less is alignment */
#define NEAR 0.15		/* sectors differ by guards and edges */

uint32_t
shape_common(uint32_t a, uint32_t b)
{
	while (b != 0) {
		uint32_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

bool
shape_is_narrow(const struct kernel *k)
{
	const struct record_SIGNATURE *s = &k->shape;
	uint64_t rows = (uint64_t)s->block_y * s->block_z;

	return s->block_x > 0 && s->block_x < WARP && rows > 1 &&
	    rows * s->block_x >= WARP;
}

/*
 * The 32 lanes are cut into runs of block_x lanes; if that does not divide 32,
 * into more, shorter ones. All runs together have 32 × ${bytes} bytes. A run of
 * L bytes that starts at any multiple of g bytes touches (L + 32 − g) / 32
 * sectors on average: each run costs 1 − g / 32 on top of what its bytes fill.
 */
double
shape_sectors(const struct kernel *k, double bytes)
{
	uint32_t x = k->shape.block_x, whole, step;
	double runs;

	if (!(bytes >= 1) || !(bytes <= 16) || !shape_is_narrow(k))
		return bytes;
	whole = shape_common(x, WARP);
	step = shape_common(whole * (uint32_t)bytes, SECTOR);
	runs = (double)(WARP + x - whole) / x;
	return bytes + runs * (1 - (double)step / SECTOR);
}

bool
shape_explains(const struct kernel *k, double sectors, double bytes)
{
	double expected = shape_sectors(k, bytes);

	return shape_is_narrow(k) && bytes >= 1 &&
	    expected >= WASTE * bytes &&
	    fabs(sectors - expected) <= NEAR * expected;
}
