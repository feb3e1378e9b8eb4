/*
 * wide-values: memory holds values in 4 or 8 bytes although the code shows that
 * 1 or 2 (or 4) would hold all that it stores there and all that it needs of
 * what it loads: flags, labels, bytes of images, doubles converted to float at
 * once. The rest is moved in vain.
 *
 * Only accesses whose neighbouring lanes fill their sectors count: if each lane
 * has a sector of its own, narrower elements take as many.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/access.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/range.h"

#define ACCESSES_MAX 256	/* accesses that are examined */

struct wide {
	double sectors[2], spare[2];	/* of loads, of stores: all sectors, and
					 * those that go */
	double moved;			/* sectors of accesses to wide values */
	double had, needs;		/* bytes of their elements, weighted by
					 * sectors */
};

static void
look_at(struct wide *w, const struct accesses *a, struct ranges *r,
    const struct code *c, size_t i, struct mark *m)
{
	const struct judged_access *one = &a->of[i];
	bool store = one->kind == INST_STORE;
	uint32_t at = c->instruction[i].sass;
	unsigned bytes, need;

	if (one->pattern != PATTERN_GOOD || one->kind == INST_ATOMIC ||
	    at >= c->sass.instructions)
		return;
	need = store ? range_stored(r, at, &bytes) :
	    range_loaded(r, at, &bytes);
	if (bytes == 0 || need == 0 || need >= bytes)
		return;
	w->moved += one->sectors;
	w->had += one->sectors * bytes;
	w->needs += one->sectors * need;
	w->spare[store] += one->sectors * (1 - (double)need / bytes);
	m[i].weight = one->sectors * (1 - (double)need / bytes);
	m[i].over = one->sectors * need;
	m[i].under = one->sectors;
}

static void
look(struct wide *w, const struct accesses *a, struct ranges *r,
    const struct code *c, struct mark *m)
{
	int looked = 0;

	for (size_t i = 0; i < c->instructions; i++) {
		const struct judged_access *one = &a->of[i];

		if (one->pattern == PATTERN_NONE)
			continue;
		if (one->kind != INST_ATOMIC)
			w->sectors[one->kind == INST_STORE] += one->sectors;
		if (looked++ < ACCESSES_MAX)
			look_at(w, a, r, c, i, m);
	}
}

static enum rule_state
report(struct rule_view *x, const struct wide *w, const struct mark *m)
{
	double all = w->sectors[0] + w->sectors[1];
	double had = w->had / w->moved, needs = w->needs / w->moved;
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	if (w->sectors[0] > 0)
		fix.global_ld = 1 - w->spare[0] / w->sectors[0];
	if (w->sectors[1] > 0)
		fix.global_st = 1 - w->spare[1] / w->sectors[1];
	rule_fix(d, &fix, 0.5, 1);
	rule_evidence(x, d, "spare_ratio", (w->spare[0] + w->spare[1]) / all,
	    "sectors that narrower elements would not move, of all",
	    .derived = "disassembly, sectors", .key = "min_share");
	rule_evidence(x, d, "bytes_per_element", had, "bytes of an element now",
	    .derived = "disassembly", .unit = "B");
	rule_evidence(x, d, "bytes_needed", needs,
	    "bytes of it that the code stores or looks at",
	    .derived = "disassembly", .unit = "B");
	d->f.summary = arena_format(x->arena, "%s of the global accesses move "
	    "elements of %s bytes of which the code stores or looks at %s",
	    say_percent(x->arena, w->moved / all), say_plain(x->arena, had),
	    say_plain(x->arena, needs));
	d->f.advice = had > 4 ? "keep these arrays as float: the kernel makes "
	    "floats of them as soon as it has loaded them" : needs < 2 ?
	    "keep these arrays in one byte an element (uint8_t, or bits of a "
	    "word for flags) in all kernels that use them, and let a thread "
	    "take 4 or 16 of them with one access" :
	    "keep these arrays in two bytes an element (uint16_t) in all "
	    "kernels that use them, and let a thread take 2 or 8 of them with "
	    "one access";
	d->f.gain_note = "the same elements in fewer sectors; half of it in the "
	    "low view, as others may put more into them than this kernel asks";
	return lines_settle(x, d, m, "%s B of an element needed");
}

static enum rule_state
find(struct rule_view *x, const struct accesses *a)
{
	const struct code *c = x->kernel->code;
	enum rule_state state = RULE_CLEAN;
	struct ranges *r = ranges_new(c);
	struct mark *m = marks_new(x);
	struct wide w = { 0 };

	if (r == NULL || m == NULL) {
		state = rule_unmeasured(x, REASON_LEFT_OUT_CODE);
	} else {
		look(&w, a, r, c, m);
		if (w.moved > 0 && w.spare[0] + w.spare[1] >=
		    rule_value(x, "min_share") * (w.sectors[0] + w.sectors[1]))
			state = report(x, &w, m);
	}
	ranges_free(r);
	free(m);
	return state;
}

enum rule_state
rule_wide_values(struct rule_view *x)
{
	return accesses_ask(x, find);
}
