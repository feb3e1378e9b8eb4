#include <stddef.h>

#include "facts/chip.h"

#define KIB 1024u

#define CARVEOUTS(name, number, ...) \
	static const struct chip_carveouts carveouts_##name = \
	    { number, { __VA_ARGS__ } };
#include "facts/chip.def"

static const struct chip chips[] = {
#define CHIP(major, minor, schedulers, blocks, cache, carveouts, unit, fp32, \
    fp64, fp16, xu, tensor, matrix, pcie, ratio, half_ratio, type) \
	{ major, minor, schedulers, blocks, cache, &carveouts_##carveouts, \
	    unit, fp32, fp64, fp16, xu, tensor, MATRIX_##matrix, pcie, ratio, \
	    half_ratio, type },
#include "facts/chip.def"
};

const struct chip *
chip_of(uint32_t major, uint32_t minor)
{
	const struct chip *found = &chips[0];

	for (size_t i = 1; i < sizeof(chips) / sizeof(chips[0]); i++)
		if (chips[i].major == major &&
		    (chips[i].minor <= minor || found == &chips[0]))
			found = &chips[i];
	return found;
}

uint64_t
chip_carveout(const struct chip *c, uint64_t bytes)
{

	for (unsigned i = 0; i < c->carveouts->number; i++)
		if (bytes <= c->carveouts->kib[i] * (uint64_t)KIB)
			return c->carveouts->kib[i] * (uint64_t)KIB;
	return bytes;
}
