/*
 * array-of-structures: each lane reads the fields of its own object, one after the
 * other. Every access moves the sectors of whole objects and uses one field of each.
 */
#include <math.h>

#include "rules/evidence/access.h"

/* The object that wastes the most. */
struct object {
	double excess, sectors, ideal;
	unsigned element, fields;
};

static struct object
worst_object(const struct accesses *a, size_t n)
{
	struct object best = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct object o = { 0 };

		if (a->of[i].pattern != PATTERN_FIELDS)
			continue;
		/* The fields of an object are close together in the code;
		 * fields before ${i} were counted with the first one. */
		for (size_t k = i; k < n && k < i + 512; k++) {
			const struct judged_access *one = &a->of[k];

			if (one->pattern != PATTERN_FIELDS ||
			    one->group != a->of[i].group)
				continue;
			o.fields++;
			o.element = one->element;
			o.sectors += one->sectors;
			o.ideal += one->ideal;
		}
		o.excess = o.sectors - o.ideal;
		if (o.excess > best.excess)
			best = o;
	}
	return best;
}

static void
describe(struct rule_view *x, struct draft *d, const struct object *o,
    bool loads, bool stores)
{
	const char *what = loads && stores ? "loads and stores" :
	    loads ? "loads" : "stores";

	d->f.summary = arena_format(x->arena, "%u %s take a field of an "
	    "object each; the objects of neighbouring lanes are %u bytes "
	    "apart: %s the sectors they need", o->fields, what, o->element, say_times(x->arena,
	    o->sectors / o->ideal));
	d->f.advice = o->element == 8 || o->element == 16 ?
	    arena_format(x->arena, "load and store the whole object at once, "
	    "as one aligned %s, or store each field in an array of its own",
	    o->element == 8 ? "float2 (8 bytes)" : "float4 (16 bytes)") :
	    "store each field in an array of its own (structure of arrays), so "
	    "that neighbouring lanes read neighbouring values; objects of 8 or "
	    "16 bytes can instead be loaded whole, as float2 or float4";
	d->f.gain_note = "the same fields with every sector fully used; traffic "
	    "that L1 already absorbs is not counted as saved";
}

static enum rule_state
find(struct rule_view *x, const struct accesses *a)
{
	const struct access_sum *ld = &a->sum[PATTERN_FIELDS][INST_LOAD];
	const struct access_sum *st = &a->sum[PATTERN_FIELDS][INST_STORE];
	double sectors = ld->sectors + st->sectors;
	double ideal = ld->ideal + st->ideal;
	double all = a->all[INST_LOAD].sectors + a->all[INST_STORE].sectors;
	struct fix fix = FIX_NONE;
	struct object o;
	struct draft *d;

	if (!(ideal > 0) || sectors < rule_value(x, "min_ratio") * ideal ||
	    sectors - ideal < rule_value(x, "min_share") * all)
		return RULE_CLEAN;
	o = worst_object(a, x->kernel->code->instructions);
	d = rule_found(x, NULL);
	fix.global_ld = accesses_keep(a, PATTERN_FIELDS, INST_LOAD);
	fix.global_st = accesses_keep(a, PATTERN_FIELDS, INST_STORE);
	rule_fix(d, &fix, 0.8, 1);
	d->f.confidence = x->load->bound >= 0.5 ? CONF_HIGH : CONF_MEDIUM;
	rule_evidence(x, d, "sectors_ratio", sectors / ideal,
	    "sectors / ideal sectors of the fields",
	    .derived = source_metric_table[SOURCE_GLOBAL_IDEAL].name,
	    .key = "min_ratio");
	rule_evidence(x, d, "excess_ratio", (sectors - ideal) / all,
	    "their sectors beyond the ideal, of all global sectors",
	    .derived = source_metric_table[SOURCE_GLOBAL_SECTORS].name,
	    .key = "min_share");
	rule_evidence(x, d, "element_bytes", o.element,
	    "bytes from lane to lane",
	    .derived = "sectors per request and addresses");
	rule_evidence(x, d, "fields", o.fields, "instructions on one object",
	    .derived = "disassembly", .unit = "inst");
	describe(x, d, &o, ld->requests > 0, st->requests > 0);
	accesses_lines(x, d, a, PATTERN_FIELDS);
	return rule_settle(x, d);
}

enum rule_state
rule_array_of_structures(struct rule_view *x)
{
	return accesses_ask(x, find);
}
