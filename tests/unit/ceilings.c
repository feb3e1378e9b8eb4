#include <math.h>
#include <string.h>

#include "report/json_roofline.h"
#include "rules/made.h"
#include "unit/advise.h"

#define near(a, b) assert_true(fabs((a) - (b)) <= 1e-6 * fabs(b))

MADE_TEST(test_attributes)
{
	assert_false(m->device[0].ceilings.calibrated);
	near(m->device[0].ceilings.dram_bytes_per_s, 0.9 * 4.8e12);
	near(m->device[0].ceilings.sm_hz, 1.98e9);
	near(m->device[0].ceilings.fp32_flops, 132 * 256 * 1.98e9);
	assert_true(m->device[0].ceilings.launch_s > 0);
	assert_true(m->device[0].ceilings.copies > 2);
}

TEST(test_no_attributes)
{
	struct device d = { .id = 0 };
	struct ceilings c;

	ceilings_default(&c, &d);
	assert_true(c.dram_bytes_per_s > 0 && isfinite(c.dram_bytes_per_s));
	assert_true(c.l2_bytes_per_s > 0 && c.sm_hz > 0);
	d.limits.sms = d.limits.core_khz = UINT32_MAX;
	d.limits.memory_bandwidth = UINT64_MAX;
	d.limits.memory_khz = d.limits.memory_bus_bits = UINT32_MAX;
	ceilings_default(&c, &d);
	assert_true(c.dram_bytes_per_s > 0 && c.dram_bytes_per_s < 1e15);
	assert_true(isfinite(c.shared_bytes_per_s));
}

/* Before 7.0 there were no tensor cores: no ceiling is reported for them. */
TEST(test_no_tensor_cores)
{
	struct device d = { .limits = { .cc_major = 6, .cc_minor = 1,
	    .sms = 20, .core_khz = 1700000 } };
	struct ceilings c;
	json_t *o, *items, *item;
	size_t i;

	ceilings_default(&c, &d);
	near(c.fp32_flops, 20 * 256 * 1.7e9);
	near(c.fp64_flops, 20 * 8 * 1.7e9);
	assert_true(c.tensor_flops == 0);
	o = json_ceilings(&c);
	items = json_object_get(o, "items");
	assert_int_equal(json_array_size(items), 6);
	json_array_foreach(items, i, item)
		assert_string_not_equal(json_string_value(json_object_get(item,
		    "name")), "tensor_flops");
	json_decref(o);
	d.limits.cc_major = 8;
	d.limits.cc_minor = 6;
	ceilings_default(&c, &d);
	near(c.tensor_flops, 20 * 1024 * 1.7e9);
}

/* The values measured on this model are used for other GPUs of the model, but
 * not for a slice of one; a GPU's own calibration has priority. */
MADE_TEST(test_model)
{
	struct calibration cal = { .gpu = "00112233445566778899AABBCCDDEEFF",
	    .json = "{\"dram_bytes_per_s\": 4.5e12}", .length = 28 };
	const struct ceilings *c = &m->device[0].ceilings;

	m->device[0].name = "NVIDIA H200";
	m->device[0].uuid = "00112233445566778899aabbccddeeff";
	ceilings_settle(&m->run);
	assert_false(c->calibrated);
	assert_true(c->dram_bytes_per_s > 3.9e12 && c->dram_bytes_per_s < 4.2e12);
	assert_string_equal(ceilings_source(c, &c->dram_bytes_per_s), "model");
	assert_string_equal(ceilings_source(c, &c->launch_s), "attribute");
	assert_string_equal(c->from, "other GPUs of this model");

	m->run.calibration = &cal;
	m->run.calibrations = 1;
	ceilings_settle(&m->run);
	assert_true(c->calibrated);
	near(c->dram_bytes_per_s, 4.5e12);
	assert_string_equal(ceilings_source(c, &c->dram_bytes_per_s),
	    "measured");
	assert_string_equal(ceilings_source(c, &c->sm_hz), "model");

	m->run.calibrations = 0;
	m->device[0].limits.sms = 60;
	ceilings_settle(&m->run);
	near(c->dram_bytes_per_s, 0.9 * 4.8e12);
	assert_string_equal(ceilings_source(c, &c->dram_bytes_per_s),
	    "attribute");
}

static const char json[] = "{ \"date\": \"2026-01-02\", \"driver\": \"580\","
    " \"dram_bytes_per_s\": 4.1e12, \"launch_s\": 2.2e-6, \"sm_hz\": 5,"
    " \"copy\": [ {\"bytes\": 1000, \"pinned_h2d\": 1e-5,"
    " \"pinned_d2h\": 2e-5, \"pageable_h2d\": 3e-5, \"pageable_d2h\": 4e-5},"
    " {\"bytes\": 500, \"pinned_h2d\": 1, \"pinned_d2h\": 1,"
    " \"pageable_h2d\": 1, \"pageable_d2h\": 1},"
    " {\"bytes\": 2000, \"pinned_h2d\": 2e-5, \"pinned_d2h\": 4e-5,"
    " \"pageable_h2d\": 6e-5, \"pageable_d2h\": 8e-5} ] }";

MADE_TEST(test_calibration)
{
	struct calibration cal = { .gpu = "00112233445566778899AABBCCDDEEFF",
	    .json = json, .length = sizeof(json) - 1 };
	struct ceilings *c = &m->device[0].ceilings;

	m->run.calibration = &cal;
	m->run.calibrations = 1;
	ceilings_settle(&m->run);
	assert_true(c->calibrated);
	assert_string_equal(c->date, "2026-01-02");
	near(c->dram_bytes_per_s, 4.1e12);
	near(c->sm_hz, 1.98e9);		/* the 5 Hz are rejected */
	assert_int_equal(c->copies, 2);	/* sizes must increase */
	near(ceilings_copy_s(c, 1, true, true), 1e-5);
	near(ceilings_copy_s(c, 1500, true, true), 1.5e-5);
	near(ceilings_copy_s(c, 1500, false, false), 6e-5);
	near(ceilings_copy_s(c, 20000, true, false), 6e-4);
	cal.gpu = "another";
	ceilings_settle(&m->run);
	assert_false(c->calibrated);
}

/* A calibration by an older version lacks newer values: these stay typical
 * ones, scaled from what was measured. */
MADE_TEST(test_older)
{
	static const char older[] = "{\"fp32_flops\": 5e13}";
	static const char newer[] = "{\"fp32_flops\": 5e13, "
	    "\"fp16_flops\": 1.1e14, \"tensor_flops\": 7e14}";
	struct ceilings *c = &m->device[0].ceilings, typical;

	ceilings_default(c, &m->device[0]);
	typical = *c;
	assert_int_equal(ceilings_parse(c, older, sizeof(older) - 1), 0);
	assert_string_equal(ceilings_source(c, &c->fp32_flops), "measured");
	assert_string_equal(ceilings_source(c, &c->fp16_flops), "attribute");
	assert_string_equal(ceilings_source(c, &c->tensor_flops), "attribute");
	near(c->fp16_flops, typical.fp16_flops);
	near(c->tensor_flops, typical.tensor_flops);
	assert_int_equal(ceilings_parse(c, newer, sizeof(newer) - 1), 0);
	assert_string_equal(ceilings_source(c, &c->fp16_flops), "measured");
	assert_string_equal(ceilings_source(c, &c->tensor_flops), "measured");
	near(c->fp16_flops, 1.1e14);
	near(c->tensor_flops, 7e14);
}

MADE_TEST(test_hostile)
{
	static const char *const bad[] = {
		"", "null", "[]", "{}", "{", "{\"dram_bytes_per_s\":\"x\"}",
		"{\"dram_bytes_per_s\":-1}", "{\"dram_bytes_per_s\":1e300}",
		"{\"copy\":7}", "{\"copy\":[]}", "{\"copy\":[{}]}",
		"{\"copy\":[{\"bytes\":-1}]}",
	};
	struct ceilings before;

	before = m->device[0].ceilings;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(ceilings_parse(&m->device[0].ceilings, bad[i],
		    strlen(bad[i])), -1);
		assert_memory_equal(&before, &m->device[0].ceilings, sizeof(before));
	}
	assert_int_equal(ceilings_parse(&m->device[0].ceilings, NULL, 5), -1);
	m->device[0].ceilings.copies = 0;
	assert_true(isnan(ceilings_copy_s(&m->device[0].ceilings, 1, true, true)));
}
