#include <math.h>
#include <string.h>

#include "model/model.h"
#include "report/checklist_fact.h"
#include "rules/engine/finding.h"

#include "report/checklist.h"

const char *const check_state_name[CHECK_STATES] = {
	[CHECK_PASSED] = "passed", [CHECK_FAILED] = "failed",
	[CHECK_NOT_MEASURED] = "not_measured"
};

const struct check_group_info check_group_table[CHECK_GROUPS] = {
#define CHECK_GROUP(name, id, title) { id, title },
#define CHECK_LINE(group, id, title, facts, rules)
#include "report/checklist.def"
#undef CHECK_GROUP
#undef CHECK_LINE
};

#define CHECK_FACTS(...) { __VA_ARGS__, NULL }
#define CHECK_NO_FACTS { NULL }
#define CHECK_RULES(...) { __VA_ARGS__, NULL }
#define CHECK_NO_RULES { NULL }

const struct check_line check_table[] = {
#define CHECK_GROUP(name, id, title)
#define CHECK_LINE(group, id, title, facts, rules)			\
	{ CHECK_##group, id, title, facts, rules },
#include "report/checklist.def"
#undef CHECK_GROUP
#undef CHECK_LINE
};
const size_t check_table_size = sizeof(check_table) / sizeof(check_table[0]);

int
checklist_has(const struct check_line *line, const char *rule)
{
	size_t i;

	for (i = 0; line->rule[i] != NULL; i++)
		if (strcmp(line->rule[i], rule) == 0)
			return (1);
	return (0);
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
			f->reason = "not measured";
	}
}

/* A line without rules is what the worst of its facts says. */
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

static const struct verdict *
verdict_of(const struct advice *advice, const char *rule)
{
	size_t i;

	for (i = 0; i < advice->verdicts; i++)
		if (advice->verdict[i].rule != NULL &&
		    strcmp(advice->verdict[i].rule, rule) == 0)
			return (&advice->verdict[i]);
	return (NULL);
}

static void
answer_by_rules(struct check_answer *a, const struct check_line *line,
    const struct advice *advice)
{
	const struct verdict *v, *first = NULL;
	size_t i;

	for (i = 0; line->rule[i] != NULL; i++) {
		if ((v = verdict_of(advice, line->rule[i])) == NULL)
			continue;
		if (first == NULL)
			first = v;
		a->rules++;
		a->checked += v->state != RULE_NOT_MEASURED;
	}
	for (i = 0; i < advice->findings; i++)
		a->found += advice->finding[i].worth_it &&
		    checklist_has(line, advice->finding[i].rule);
	if (a->found > 0) {
		a->state = CHECK_FAILED;
	} else if (first == NULL || first->state == RULE_NOT_MEASURED) {
		a->state = CHECK_NOT_MEASURED;
		a->reason = first != NULL && first->reason != NULL ?
		    first->reason : "none of its practices was checked";
	}
}

void
checklist_answer(struct check_answer *a, const struct check_line *line,
    const struct check_view *x)
{

	memset(a, 0, sizeof(*a));
	a->state = CHECK_PASSED;
	fill_facts(a, line, x);
	if (line->rule[0] == NULL)
		answer_by_facts(a);
	else
		answer_by_rules(a, line, x->advice);
}
