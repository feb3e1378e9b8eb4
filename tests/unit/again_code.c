/* again_code.c: which kernels may run a second time, from cubins of nvcc's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/test.h"

#include "again_code.h"

static uint8_t image[128 << 10];
static size_t size;

static void
load(const char *path)
{
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	size = fread(image, 1, sizeof(image), f);
	fclose(f);
	assert_true(size > 0 && size < sizeof(image));
}

/* The kernels of again.cu: what is to be said of them stands in their names. */
static const char *const kernel[] = {
	"closed_sum", "closed_tiles", "closed_counts", "closed_index",
	"closed_last_block", "closed_shared_flag", "closed_call",
	"closed_division", "waits_volatile", "waits_far", "waits_acquire",
	"waits_relaxed", "waits_fence", "waits_swap", "waits_add",
	"waits_float", "waits_generic", "waits_call", "outside_variable",
	"outside_print", "outside_allocate", "outside_indirect",
	"outside_surface"
};

static enum again_code
wanted(const char *name)
{

	return name[0] == 'c' ? AGAIN_CODE_CLOSED : name[0] == 'w' ?
	    AGAIN_CODE_WAITS : AGAIN_CODE_OUTSIDE;
}

static void
each_kernel(const char *path)
{
	size_t i;

	load(path);
	for (i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++)
		if (again_code(image, size, kernel[i]) != wanted(kernel[i]))
			fail_msg("%s in %s: %d", kernel[i], path,
			    (int)again_code(image, size, kernel[i]));
	assert_int_equal(again_code(image, size, "closed"),
	    AGAIN_CODE_UNKNOWN);
	assert_int_equal(again_code(image, size, ""), AGAIN_CODE_UNKNOWN);
}

TEST(kernels)
{

	each_kernel(TEST_DIR "/captures/cubins/again.cubin");
	each_kernel(TEST_DIR "/captures/cubins/again80.cubin");
}

/* Functions in other sections are called, or by the driver. */
TEST(elsewhere)
{

	load(TEST_DIR "/captures/cubins/linked.cubin");
	assert_int_equal(again_code(image, size, "_Z6callerPf"),
	    AGAIN_CODE_OUTSIDE);
	load(TEST_DIR "/captures/cubins/launch.cubin");
	assert_int_equal(again_code(image, size, "_Z6parentPf"),
	    AGAIN_CODE_OUTSIDE);
	assert_int_equal(again_code(image, size, "_Z5childPf"),
	    AGAIN_CODE_CLOSED);
}

/* Pointers that outlive a kernel. */
TEST(keeps)
{

	load(TEST_DIR "/captures/cubins/softmax.cubin");
	assert_false(again_code_keeps(image, size));
	assert_true(again_code_keeps(image, size / 2));
	load(TEST_DIR "/captures/cubins/globals.cubin");
	assert_true(again_code_keeps(image, size));
	load(TEST_DIR "/captures/cubins/again.cubin");
	assert_true(again_code_keeps(image, size));
	memcpy(memmem(image, size, "\0malloc", 8), "\0mollac", 8);
	assert_true(again_code_keeps(image, size));	/* a variable */
}

/* Its instructions were not looked at. */
TEST(newer)
{

	load(TEST_DIR "/captures/cubins/t100.cubin");
	assert_int_equal(again_code(image, size, "_Z1kPKfPfi"),
	    AGAIN_CODE_UNKNOWN);
}

/* Cut short, and with bytes damaged: nothing outside is read. */
TEST(damage)
{
	uint8_t *part;
	size_t i;

	load(TEST_DIR "/captures/cubins/again.cubin");
	for (i = 0; i < size; i += 61) {
		part = malloc(i + 1);
		assert_non_null(part);
		memcpy(part, image, i);
		again_code(part, i, "waits_call");
		free(part);
		image[i] ^= 0xff;
		again_code(image, size, "waits_call");
		image[i] ^= 0xff;
	}
	for (i = 0; i < 64; i++) {
		image[i] ^= 0xff;
		again_code(image, size, "waits_call");
		image[i] ^= 0xff;
	}
}

