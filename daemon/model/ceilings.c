/*
 * model/ceilings.c: the highest rates a GPU reaches: parses a calibration, derives
 * defaults from the device's attributes, interpolates copies; see ceilings.h.
 */
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/chip.h"
#include "model/model.h"

#include "model/ceilings.h"

#define JSON_MAX (1u << 20)	/* bytes; a longer calibration is not parsed */

/* The plain numbers of a calibration: the JSON key is the field's name. A value outside
 * of its range is ignored. */
static const struct number {
	const char *key;
	size_t offset;
	double min, max;
} number[] = {
#define N(field, min, max) { #field, offsetof(struct ceilings, field), min, max }
	N(dram_bytes_per_s, 1e9, 1e15),
	N(l2_bytes_per_s, 1e9, 1e15),
	N(shared_bytes_per_s, 1e9, 1e16),
	N(fp32_flops, 1e9, 1e16),
	N(fp64_flops, 1e8, 1e16),
	N(fp16_flops, 1e9, 1e17),
	N(tensor_flops, 1e9, 1e18),
	N(sm_hz, 1e8, 1e10),
	N(launch_s, 1e-8, 1e-2),
	N(launch_gap_s, 1e-9, 1e-2),
	N(graph_node_gap_s, 1e-9, 1e-2),
	N(sync_s, 1e-8, 1e-1),
	N(malloc_s, 1e-8, 1),
	N(free_s, 1e-8, 1),
	N(copy_fixed_s, 1e-8, 1e-1),
#undef N
};
_Static_assert(sizeof(number) / sizeof(number[0]) <= 32,
    "struct ceilings has a bit for each");

static double
clamp_or(double value, double min, double max, double otherwise)
{
	return value >= min && value <= max ? value : otherwise;
}

/*
 * A copy takes a fixed time and bytes / rate. The rates are those that a ×16 link of
 * PCIe generation ${pcie} reaches. Pageable memory goes through a staging buffer that
 * one host core fills.
 */
static void
default_copies(struct ceilings *c, unsigned pcie)
{
	double pinned = pcie >= 5 ? 53e9 : pcie == 4 ? 25e9 : 12e9;
	double pageable = pcie >= 5 ? 11e9 : pcie == 4 ? 9e9 : 6e9;

	c->copies = 0;
	for (uint64_t bytes = 4096; bytes <= (uint64_t)1 << 30; bytes *= 16) {
		struct copy_point *p = &c->copy[c->copies++];

		p->bytes = bytes;
		p->pinned_h2d = c->copy_fixed_s + (double)bytes / pinned;
		p->pinned_d2h = p->pinned_h2d;
		p->pageable_h2d = c->copy_fixed_s + (double)bytes / pageable;
		p->pageable_d2h = p->pageable_h2d;
	}
}

void
ceilings_default(struct ceilings *c, const struct device *d)
{
	const struct record_DEVICE *l = &d->limits;
	const struct chip *chip = chip_of(l->cc_major, l->cc_minor);
	double sms = l->sms >= 1 && l->sms <= 4096 ? l->sms : 80;
	double bandwidth = (double)l->memory_bandwidth;

	memset(c, 0, sizeof(*c));
	snprintf(c->gpu, sizeof(c->gpu), "%s", d->name ? d->name : "");
	snprintf(c->uuid, sizeof(c->uuid), "%s", d->uuid ? d->uuid : "");
	c->sm_hz = clamp_or(l->core_khz * 1e3, 1e8, 1e10, 1.5e9);
	if (bandwidth <= 0)	/* double data rate */
		bandwidth = l->memory_khz * 1e3 * 2 * l->memory_bus_bits / 8;
	/* A large copy reaches about 9/10 of the data sheet's bandwidth. */
	c->dram_bytes_per_s = 0.9 * clamp_or(bandwidth, 1e9, 1e14, 1e12);
	/* Reads that hit L2 sustain one sector per SM and cycle on GPUs of
	 * compute capability 8 and 9; the port could take two. */
	c->l2_bytes_per_s = sms * 32 * c->sm_hz;
	c->shared_bytes_per_s = sms * 128 * c->sm_hz;
	c->fp32_flops = sms * 2 * chip->fp32 * c->sm_hz;
	c->fp64_flops = sms * 2 * chip->fp64 * c->sm_hz;
	c->fp16_flops = sms * 2 * chip->fp16 * c->sm_hz;
	c->tensor_flops = sms * chip->tensor * c->sm_hz;
	/* Typical of Linux hosts with a current driver. */
	c->launch_s = 2.5e-6;
	c->launch_gap_s = 1.0e-6;
	c->graph_node_gap_s = 0.7e-6;
	c->sync_s = 5e-6;
	c->malloc_s = 60e-6;
	c->free_s = 60e-6;
	c->copy_fixed_s = 5e-6;
	default_copies(c, l->cc_major > 0 ? chip->pcie : 0);
}

static void
parse_text(char *out, size_t size, const json_t *root, const char *key)
{
	const char *s = json_string_value(json_object_get(root, key));

	if (s != NULL)
		snprintf(out, size, "%s", s);
}

/* Read the copy points. A point that is not larger than the one before is left out. */
static int
parse_copies(struct ceilings *c, const json_t *array)
{
	static const char *const key[] = {
		"pinned_h2d", "pinned_d2h", "pageable_h2d", "pageable_d2h"
	};
	size_t i;
	json_t *item;

	json_array_foreach(array, i, item) {
		struct copy_point *p = &c->copy[c->copies];
		double value[4];
		json_int_t bytes = json_integer_value(
		    json_object_get(item, "bytes"));
		bool good = bytes > 0 && (c->copies == 0 ||
		    (uint64_t)bytes > p[-1].bytes);

		if (c->copies == COPY_SIZES)
			break;
		for (int k = 0; k < 4; k++) {
			value[k] = json_number_value(
			    json_object_get(item, key[k]));
			good = good && value[k] > 1e-9 && value[k] < 1e4;
		}
		if (!good)
			continue;
		*p = (struct copy_point){ (uint64_t)bytes, value[0], value[1],
		    value[2], value[3] };
		c->copies++;
	}
	return c->copies;
}

int
ceilings_parse(struct ceilings *c, const char *json, unsigned long len)
{
	struct ceilings new = *c;
	int seen = 0;
	json_t *root;

	if (json == NULL || len > JSON_MAX)
		return -1;
	root = json_loadb(json, len, 0, NULL);
	if (!json_is_object(root)) {
		json_decref(root);
		return -1;
	}
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		const json_t *v = json_object_get(root, number[i].key);
		double value = json_number_value(v);

		if (!json_is_number(v) || !(value >= number[i].min) ||
		    !(value <= number[i].max))
			continue;
		memcpy((char *)&new + number[i].offset, &value, sizeof(value));
		new.measured |= (uint32_t)1 << i;
		seen++;
	}
	if (json_is_array(json_object_get(root, "copy"))) {
		new.copies = 0;
		if (parse_copies(&new, json_object_get(root, "copy")) == 0) {
			memcpy(new.copy, c->copy, sizeof(new.copy));
			new.copies = c->copies;
		} else {
			new.copies_measured = true;
			seen++;
		}
	}
	parse_text(new.date, sizeof(new.date), root, "date");
	parse_text(new.gpu, sizeof(new.gpu), root, "gpu");
	parse_text(new.uuid, sizeof(new.uuid), root, "uuid");
	parse_text(new.driver, sizeof(new.driver), root, "driver");
	json_decref(root);
	if (seen == 0)
		return -1;
	new.calibrated = true;
	*c = new;
	return 0;
}

const char *
ceilings_source(const struct ceilings *c, const double *field)
{
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		if ((const char *)field == (const char *)c + number[i].offset)
			return (c->measured >> i & 1) != 0 ? "measured" :
			    (c->shipped >> i & 1) != 0 ? "model" : "attribute";
	return "attribute";
}

static double
point_s(const struct copy_point *p, bool h2d, bool pinned)
{
	if (pinned)
		return h2d ? p->pinned_h2d : p->pinned_d2h;
	return h2d ? p->pageable_h2d : p->pageable_d2h;
}

double
ceilings_copy_s(const struct ceilings *c, uint64_t bytes, bool h2d, bool pinned)
{
	const struct copy_point *p = c->copy;
	double s, share;
	int i;

	if (c->copies == 0)
		return NAN;
	if (bytes <= p[0].bytes)	/* all fixed cost */
		return point_s(&p[0], h2d, pinned);
	for (i = 1; i < c->copies && p[i].bytes < bytes; i++)
		;
	if (i == c->copies) {
		s = point_s(&p[i - 1], h2d, pinned);
		return s * ((double)bytes / (double)p[i - 1].bytes);
	}
	share = (double)(bytes - p[i - 1].bytes) /
	    (double)(p[i].bytes - p[i - 1].bytes);
	s = point_s(&p[i - 1], h2d, pinned);
	return s + share * (point_s(&p[i], h2d, pinned) - s);
}

double
ceilings_link(const struct ceilings *c, bool h2d)
{
	const struct copy_point *p;

	if (c->copies == 0)
		return NAN;
	p = &c->copy[c->copies - 1];
	return (double)p->bytes / point_s(p, h2d, true);
}
