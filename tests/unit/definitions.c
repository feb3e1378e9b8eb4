/* Millions of ids: the memory for them is bounded, and so is the time. If the
 * time were not, the tests would not end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_index.h"
#include "model/idmap.h"
#include "model/model.h"
#include "unit/test.h"

#define MANY 1000000u

static struct definitions d;
static struct capture_index x;

static int
set_up(void **state)
{

	(void)state;
	memset(&d, 0, sizeof(d));
	memset(&x, 0, sizeof(x));
	return 0;
}

static int
tear_down(void **state)
{

	(void)state;
	definitions_clear(&d);
	capture_index_clear(&x);
	return 0;
}

static void
string(uint64_t stream, uint32_t id, const char *text)
{
	struct record r = { .type = RECORD_STRING };

	r.u.STRING.id = id;
	r.u.STRING.text = wire_str_of(text);
	assert_int_equal(definitions_note(&d, stream, &r, &x), 0);
}

static void
signature(uint64_t stream, uint32_t id, uint32_t name, uint32_t device)
{
	struct record r = { .type = RECORD_SIGNATURE };

	r.u.SIGNATURE.id = id;
	r.u.SIGNATURE.name = name;
	r.u.SIGNATURE.device = device;
	r.u.SIGNATURE.grid_x = id;
	assert_int_equal(definitions_note(&d, stream, &r, &x), 0);
}

static void
device(uint64_t stream, uint32_t id, const char *uuid)
{
	struct record r = { .type = RECORD_DEVICE };

	r.u.DEVICE.id = id;
	r.u.DEVICE.uuid = wire_str_of(uuid);
	assert_int_equal(definitions_note(&d, stream, &r, &x), 0);
}

TEST_WITH(repeated_ids_are_kept_once, set_up, tear_down)
{
	uint32_t i;

	for (i = 0; i < MANY; i++) {
		string(1, 3, i % 2 == 0 ? "a" : "b");
		signature(1, 7, 3, 0);
		device(1, 0, "u");
	}
	assert_int_equal(d.used, 1);
	assert_int_equal(x.signatures, 1);
	assert_int_equal(x.devices, 1);
}

TEST_WITH(new_ids_have_a_limit, set_up, tear_down)
{
	uint32_t i;

	for (i = 0; i < MANY; i++) {
		string(1, i, "a");
		signature(1, i, i, i);
		device(1, i, "u");
	}
	assert_int_equal(d.used, DEFINITION_STRINGS);
	assert_int_equal(x.signatures, DEFINITION_SIGNATURES);
	assert_int_equal(x.devices, DEFINITION_DEVICES);
	/* Another stream has ids of its own. */
	string(2, 1, "a");
	signature(2, 1, 1, 1);
	device(2, 1, "u");
	assert_int_equal(d.used, DEFINITION_STRINGS + 1);
	assert_int_equal(x.signatures, DEFINITION_SIGNATURES + 1);
	assert_int_equal(x.devices, DEFINITION_DEVICES + 1);
}

TEST_WITH(streams_have_a_limit, set_up, tear_down)
{
	uint32_t i;

	for (i = 1; i <= 100000; i++)
		device(i, 0, "u");
	assert_int_equal(x.devices, DEFINITION_STREAMS);
	for (i = 1; i <= 100; i++) {
		uint32_t n;

		for (n = 0; n < DEFINITION_STRINGS; n++)
			string(i, n, "a");
	}
	assert_int_equal(d.used, DEFINITION_MOST);
}

/* Comparing a million of each with all others would take 10^12 comparisons. */
TEST_WITH(kernels_are_found_by_hash, set_up, tear_down)
{
	struct device dev[] = { { .uuid = "u" }, { .uuid = "v" } };
	struct kernel k[2] = { { .id = 11, .device = 0, .mangled = "a" },
	    { .id = 12, .device = 1, .mangled = "a" } };
	struct run run = { .kernel = k, .kernels = 2, .device = dev,
	    .devices = 2 };
	const struct capture_signature *s;
	uint32_t i, stream;

	k[0].shape.grid_x = k[1].shape.grid_x = 5;
	for (stream = 1; stream <= 64; stream++) {
		string(stream, 0, "a");
		for (i = 0; i < 64; i++)
			device(stream, 63 - i, i == 60 ? "v" : "u");
		for (i = 0; i < 16384; i++)
			signature(stream, i, 0, i == 5 ? stream % 2 == 0 ?
			    3 : 9 : 1000);
	}
	assert_int_equal(x.signatures, 64 * 16384);
	capture_index_kernels(&x, &run);
	assert_int_equal(capture_index_device(&x, 40, 3), 1);
	assert_int_equal(capture_index_device(&x, 40, 4), 0);
	assert_int_equal(capture_index_device(&x, 40, 1000), UINT32_MAX);
	assert_int_equal(capture_index_device(&x, 65, 3), UINT32_MAX);
	for (stream = 1; stream <= 64; stream++) {
		s = capture_index_signature(&x, stream, 5);
		assert_non_null(s);
		assert_int_equal(s->kernel, stream % 2 == 0 ? 12 : 11);
		s = capture_index_signature(&x, stream, 6);
		assert_non_null(s);
		assert_int_equal(s->kernel, 0);
	}
}

TEST_WITH(the_last_definition_holds, set_up, tear_down)
{
	struct kernel k[2] = { { .id = 1, .mangled = "a" },
	    { .id = 2, .mangled = "b" } };
	struct device dev[] = { { .uuid = "u" } };
	struct run run = { .kernel = k, .kernels = 2, .device = dev,
	    .devices = 1 };

	k[0].shape.grid_x = k[1].shape.grid_x = 7;
	device(1, 0, "u");
	string(1, 1, "a");
	string(1, 2, "b");
	signature(1, 7, 1, 0);
	signature(1, 7, 2, 0);
	capture_index_kernels(&x, &run);
	assert_int_equal(capture_index_signature(&x, 1, 7)->kernel, 2);
}

static uint64_t
inverse(uint64_t odd)
{
	uint64_t n = odd;
	int i;

	for (i = 0; i < 6; i++)
		n *= 2 - odd * n;
	return n;
}

/* Keys that collide if the hash has no secret: this is the hash that was used
 * before. */
TEST_WITH(chosen_ids_are_as_fast, set_up, tear_down)
{
	struct idmap m = { 0 };
	uint64_t k;
	uint32_t i;

	for (i = 0; i < 1u << 19; i++) {
		k = (uint64_t)i * inverse(0xbf58476d1ce4e5b9ull);
		k ^= k >> 29 ^ k >> 58;
		k *= inverse(0x9e3779b97f4a7c15ull);
		k ^= k >> 32;
		assert_int_equal(idmap_put(&m, k, i), 0);
	}
	assert_int_equal(m.used, 1u << 19);
	idmap_clear(&m);
}

static void
feed(struct model *m, uint64_t stream, uint64_t sequence, struct record *r)
{

	assert_int_equal(model_feed(m, stream, sequence, r), 0);
}

/* Everything over a limit is counted, and nothing else. */
TEST_WITH(what_is_left_out_is_told, set_up, tear_down)
{
	struct record string_r = { .type = RECORD_STRING },
	    signature_r = { .type = RECORD_SIGNATURE },
	    device_r = { .type = RECORD_DEVICE };
	struct model *m = model_new();
	const struct run *run;
	uint64_t sequence = 0;
	uint32_t i;

	for (i = 0; i < 70000; i++) {
		string_r.u.STRING.id = i;
		feed(m, 1, sequence++, &string_r);
		feed(m, 1, sequence++, &string_r);
	}
	run = model_settle(m, false);
	assert_int_equal(run->lost, 2 * (70000 - 65536));
	for (i = 0; i < 5000; i++) {
		device_r.u.DEVICE.id = i;
		device_r.u.DEVICE.uuid = wire_str_of("u");
		feed(m, 2, i, &device_r);
	}
	run = model_settle(m, false);
	assert_int_equal(run->lost, 2 * (70000 - 65536) + 5000 - 4096);
	assert_int_equal(run->devices, 1);
	for (i = 0; i < 20000; i++) {
		signature_r.u.SIGNATURE.id = i;
		feed(m, 2, 5000 + i, &signature_r);
	}
	run = model_settle(m, false);
	assert_int_equal(run->lost, 2 * (70000 - 65536) + 5000 - 4096 +
	    20000 - 16384);
	/* Definitions that are known may be repeated any number of times. */
	signature_r.u.SIGNATURE.id = 7;
	for (i = 0; i < 2 * MANY; i++)
		feed(m, 2, 25000 + i, &signature_r);
	for (i = 3; i < 2000; i++)
		feed(m, i, 0, &string_r);
	run = model_settle(m, false);
	assert_int_equal(run->lost, 2 * (70000 - 65536) + 5000 - 4096 +
	    20000 - 16384 + 1999 - 1024);
	model_free(m);
}
