#include <math.h>
#include <stdlib.h>

#include "model/model.h"
#include "report/checklist.h"
#include "report/json_util.h"
#include "rules/engine/finding.h"

#include "report/json.h"

#define FINDINGS_SHOWN 5	/* per line; the most seconds first */

static json_t *
json_fact(const struct check_fact *f)
{

	return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:o}",
	    "name", f->name,
	    "label", json_text(f->label),
	    "value", json_number(f->value),
	    "unit", f->unit,
	    "covered_ratio", json_number(f->covered),
	    "covered_of", json_text(f->of),
	    "reason", json_reason(isnan(f->value) ||
	    f->state == CHECK_NOT_MEASURED ? f->reason : NULL));
}

static json_t *
json_line_rules(const struct check_line *line, const struct advice *a)
{
	json_t *list = json_array();
	const struct verdict *v;
	size_t i;

	for (i = 0; list != NULL && i < a->verdicts; i++) {
		v = &a->verdict[i];
		if (v->rule == NULL || !checklist_has(line, v->rule))
			continue;
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}",
		    "rule", v->rule,
		    "state", rule_state_name[v->state],
		    "reason", json_reason(v->reason)));
	}
	return list;
}

/* The findings of a line: those worth a change, most seconds first. */
static json_t *
json_line_findings(const struct check_line *line, const struct advice *a)
{
	json_t *list = json_array();
	const struct finding *f;
	size_t i;

	for (i = 0; list != NULL && i < a->findings &&
	    json_array_size(list) < FINDINGS_SHOWN; i++) {
		f = &a->finding[i];
		if (!f->worth_it || !checklist_has(line, f->rule))
			continue;
		json_array_append_new(list,
		    json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}",
		    "id", f->id,
		    "rule", f->rule,
		    "title", json_text(f->title),
		    "where", json_text(f->where),
		    "kernel_id", f->kernel != NULL ? json_count(f->kernel->id) :
		    json_null(),
		    "saves_s", json_number(f->saves_s)));
	}
	return list;
}

static json_t *
json_line(const struct check_line *line, const struct check_answer *a,
    const struct advice *advice)
{

	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "id", line->id,
	    "title", line->title,
	    "state", check_state_name[a->state],
	    "reason", json_reason(a->reason),
	    "practices_checked", json_count(a->checked),
	    "findings_count", json_count(a->found),
	    "minor_count", json_count(a->minor),
	    "findings", json_line_findings(line, advice),
	    "facts", JSON_LIST(i, a->facts, json_fact(&a->fact[i])),
	    "rules", json_line_rules(line, advice));
}

/* The number of lines in each state. */
struct counts {
	size_t n[CHECK_STATES];
};

static json_t *
json_group(enum check_group group, const struct check_view *x,
    struct counts *all)
{
	struct counts counts = { { 0 } };
	struct check_answer answer;
	json_t *lines = json_array();
	size_t i;

	for (i = 0; lines != NULL && i < check_table_size; i++) {
		if (check_table[i].group != group)
			continue;
		checklist_answer(&answer, &check_table[i], x);
		counts.n[answer.state]++;
		all->n[answer.state]++;
		json_array_append_new(lines, json_line(&check_table[i],
		    &answer, x->advice));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
	    "id", check_group_table[group].id,
	    "title", check_group_table[group].title,
	    "passed", json_count(counts.n[CHECK_PASSED]),
	    "failed", json_count(counts.n[CHECK_FAILED]),
	    "no_gain", json_count(counts.n[CHECK_NO_GAIN]),
	    "not_measured", json_count(counts.n[CHECK_NOT_MEASURED]),
	    "lines", lines);
}

json_t *
json_checklist(const struct run *r, const struct advice *a)
{
	struct check_view x = { r, a };
	struct counts all = { { 0 } };
	json_t *groups = JSON_LIST(i, CHECK_GROUPS,
	    json_group((enum check_group)i, &x, &all));

	return json_pack("{s:o, s:o, s:o, s:o, s:o}",
	    "passed", json_count(all.n[CHECK_PASSED]),
	    "failed", json_count(all.n[CHECK_FAILED]),
	    "no_gain", json_count(all.n[CHECK_NO_GAIN]),
	    "not_measured", json_count(all.n[CHECK_NOT_MEASURED]),
	    "groups", groups);
}
