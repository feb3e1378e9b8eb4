#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "model/model.h"
#include "report/checklist_fact.h"
#include "rules/engine/finding.h"

#include "report/checklist.h"

const char *const check_state_name[CHECK_STATES] = {
	[CHECK_PASSED] = "passed", [CHECK_FAILED] = "failed",
	[CHECK_NO_GAIN] = "no_gain", [CHECK_NOT_MEASURED] = "not_measured"
};

const struct check_group_info check_group_table[CHECK_GROUPS] = {
#define CHECK_GROUP(name, id, title) { id, title },
#define CHECK_LINE(group, id, title, facts, rests_on)
#include "report/checklist.def"
};

#define CHECK_FACTS(...) { __VA_ARGS__, NULL }
#define CHECK_NO_FACTS { NULL }

const struct check_line check_table[] = {
#define CHECK_GROUP(name, id, title)
#define CHECK_LINE(group, id, title, facts, rests_on)			\
	{ CHECK_##group, id, title, facts, rests_on },
#include "report/checklist.def"
};
const size_t check_table_size = sizeof(check_table) / sizeof(check_table[0]);

int
checklist_has(const struct check_line *line, const char *rule)
{
	const struct rule_info *info = rule_find(rule);

	return info != NULL && info->checklist != NULL &&
	    strcmp(info->checklist, line->id) == 0;
}

static void
fill_facts(struct check_answer *a, const struct check_line *line,
    const struct check_view *x)
{
	struct check_fact *f;
	size_t i;

	for (i = 0; i < CHECK_FACTS_MAX && line->fact[i] != NULL; i++) {
		f = &a->fact[a->facts++];
		*f = (struct check_fact){ .value = NAN, .covered = NAN,
		    .unit = "ratio", .state = CHECK_PASSED };
		line->fact[i](f, x);
		if (isnan(f->value) && f->reason == NULL)
			f->reason = &reason_row[REASON_NOT_MEASURED];
	}
}

/* The state of a line without rules is that of its worst fact. */
static void
answer_by_facts(struct check_answer *a)
{
	size_t i;

	for (i = 0; i < a->facts; i++) {
		if (a->fact[i].state == CHECK_FAILED)
			a->state = CHECK_FAILED;
		if (a->fact[i].state == CHECK_NOT_MEASURED &&
		    a->state == CHECK_PASSED) {
			a->state = CHECK_NOT_MEASURED;
			a->reason = a->fact[i].reason;
		}
	}
}

/* Is a fact not as it should be, though no finding is worth a change? */
static bool
is_poor(const struct check_answer *a)
{
	size_t i;

	for (i = 0; i < a->facts; i++)
		if (a->fact[i].state == CHECK_NO_GAIN)
			return true;
	return a->minor > 0;
}

static void
answer_by_rules(struct check_answer *a, const struct check_line *line,
    const struct advice *advice)
{
	const struct verdict *v, *first = NULL;
	size_t i;

	for (i = 0; i < advice->verdicts; i++) {
		v = &advice->verdict[i];
		if (!checklist_has(line, v->rule))
			continue;
		if (strcmp(v->rule, line->rests_on) == 0)
			first = v;
		a->rules++;
		a->checked += v->state != RULE_NOT_MEASURED;
	}
	for (i = 0; i < advice->findings; i++) {
		if (!checklist_has(line, advice->finding[i].rule))
			continue;
		a->found += advice->finding[i].worth_it;
		a->minor += !advice->finding[i].worth_it;
	}
	if (a->found > 0) {
		a->state = CHECK_FAILED;
	} else if (first == NULL || first->state == RULE_NOT_MEASURED) {
		a->state = CHECK_NOT_MEASURED;
		a->reason = first != NULL && first->reason != NULL ?
		    first->reason : &reason_row[REASON_NOT_CHECKED];
	} else if (is_poor(a)) {
		a->state = CHECK_NO_GAIN;
	}
}

void
checklist_answer(struct check_answer *a, const struct check_line *line,
    const struct check_view *x)
{

	memset(a, 0, sizeof(*a));
	a->state = CHECK_PASSED;
	fill_facts(a, line, x);
	if (line->rests_on == NULL)
		answer_by_facts(a);
	else
		answer_by_rules(a, line, x->advice);
}
