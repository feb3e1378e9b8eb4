/* Facts about compute capabilities: the row of each, and a comparison with
 * NVIDIA's headers. */
#include <stddef.h>

#ifdef HAVE_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

#include "facts/chip.h"
#include "rules/gain/load.h"
#include "unit/test.h"

#define KIB 1024

static const struct { uint8_t major, minor; } rows[] = {
#define CHIP(major, minor, ...) { major, minor },
#include "facts/chip.def"
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void
assert_like(uint32_t major, uint32_t minor, uint8_t as_major, uint8_t as_minor)
{
	const struct chip *c = chip_of(major, minor);

	assert_int_equal(c->major, as_major);
	assert_int_equal(c->minor, as_minor);
}

TEST(test_which_row)
{
	for (size_t i = 0; i < ROWS; i++)
		assert_like(rows[i].major, rows[i].minor, rows[i].major,
		    rows[i].minor);
	/* The next lower row of the same major. */
	assert_like(7, 2, 7, 0);
	assert_like(8, 1, 8, 0);
	assert_like(8, 8, 8, 7);
	assert_like(9, 3, 9, 0);
	assert_like(10, 1, 10, 0);
	assert_like(12, 1, 12, 0);
	/* Older and newer ones than all rows, and one that no GPU has. */
	assert_like(3, 5, 0, 0);
	assert_like(13, 0, 0, 0);
	assert_like(UINT32_MAX, UINT32_MAX, 0, 0);
	assert_like(256 + 9, 0, 0, 0);
}

/* Values that other code divides by, or does not check. */
TEST(test_rows_are_whole)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct chip *c = chip_of(rows[i].major, rows[i].minor);

		assert_true(i == 0 || rows[i].major > rows[i - 1].major ||
		    (rows[i].major == rows[i - 1].major &&
		    rows[i].minor > rows[i - 1].minor));
		assert_true(c->schedulers > 0 && c->blocks > 0 && c->pcie > 0);
		assert_true(c->fp32 > 0 && c->fp64 > 0 && c->fp16 > 0 &&
		    c->xu > 0 && c->shared_unit > 0);
		for (int k = 1; k < c->carveouts->number; k++)
			assert_true(c->carveouts->kib[k] >
			    c->carveouts->kib[k - 1]);
		assert_true(c->cache_kib == 0 || (c->carveouts->number > 0 &&
		    c->carveouts->kib[c->carveouts->number - 1] <=
		    c->cache_kib));
		assert_true(c->tensor_type == NULL || (c->tensor > 0 &&
		    c->tensor_ratio >= 1 && c->tensor_half_ratio >= 1));
	}
}

TEST(test_carveouts)
{
	const struct chip *hopper = chip_of(9, 0), *pascal = chip_of(6, 0);

	assert_int_equal(chip_carveout(hopper, 0), 0);
	assert_int_equal(chip_carveout(hopper, 1), 8 * KIB);
	assert_int_equal(chip_carveout(hopper, 100 * KIB), 100 * KIB);
	assert_int_equal(chip_carveout(hopper, 100 * KIB + 1), 132 * KIB);
	assert_int_equal(chip_carveout(hopper, 228 * KIB + 1), 228 * KIB + 1);
	assert_int_equal(chip_carveout(chip_of(7, 5), 0), 32 * KIB);
	assert_int_equal(chip_carveout(pascal, 5), 5);	/* separate from L1 */
}

TEST(test_cycles)
{
	const struct chip *c = chip_of(9, 0);

	assert_float_equal(load_cycles(c, c->fp64), 2, 1e-12);
	assert_float_equal(load_cycles(c, c->xu), 8, 1e-12);
	c = chip_of(8, 6);
	assert_float_equal(load_cycles(c, c->fp64), 64, 1e-12);
}

#ifdef HAVE_CUDA_OCCUPANCY
/* NVIDIA's header tells how the SMs of each capability are divided, if it knows
 * the capability. */
TEST(test_against_cuda)
{
	size_t compared = 0;

	for (size_t i = 1; i < ROWS; i++) {
		const struct chip *c = chip_of(rows[i].major, rows[i].minor);
		struct cudaOccDeviceProp p = { .computeMajor = c->major,
		    .computeMinor = c->minor };
		int blocks, unit, parts;
		size_t bytes;

		if (cudaOccMaxBlocksPerMultiprocessor(&blocks, &p) !=
		    CUDA_OCC_SUCCESS)
			continue;
		assert_int_equal(cudaOccSMemAllocationGranularity(&unit, &p),
		    CUDA_OCC_SUCCESS);
		assert_int_equal(cudaOccSubPartitionsPerMultiprocessor(&parts,
		    &p), CUDA_OCC_SUCCESS);
		assert_int_equal(c->blocks, blocks);
		assert_int_equal(c->shared_unit, unit);
		assert_int_equal(c->schedulers, parts);
		for (size_t kib = 0; c->carveouts->number > 0; kib++) {
			bytes = kib * KIB;
			if (cudaOccAlignUpShmemSizeVoltaPlus(&bytes, &p) !=
			    CUDA_OCC_SUCCESS) {
				assert_int_equal(kib, 1 + c->carveouts->
				    kib[c->carveouts->number - 1]);
				break;
			}
			assert_int_equal(chip_carveout(c, kib * KIB), bytes);
		}
		compared++;
	}
	assert_true(compared >= 7);
}
#endif
