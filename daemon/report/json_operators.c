/*
 * report/json_operators.c: the time of a framework's kernels by operator and by the
 * user's line (report/operators.h).
 */
#include "model/model.h"
#include "report/json_util.h"
#include "report/operators.h"

#include "report/json.h"

#define SHOWN 200	/* rows of a document; the others are one number */

static json_t *
json_row(const struct operator_row *r, double all)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o,"
	    "s:o}",
	    "name", r->name,
	    "library", json_text(r->library),
	    "operation", json_text(r->operation),
	    "file", json_text(r->file),
	    "line", r->line > 0 ? json_count(r->line) : json_null(),
	    "function", json_text(r->function),
	    "backward", r->backward,
	    "s", json_number(r->s),
	    "share_ratio", json_number(all > 0 ? r->s / all : 0),
	    "launches", json_number(r->launches),
	    "kernels", json_count(r->kernels));
}

json_t *
json_operators(const struct run *run)
{
	json_t *items = json_array(), *o;
	struct operators all;
	double rest = 0;

	if (operators_of(&all, run) != 0) {
		json_decref(items);
		return NULL;
	}
	for (size_t i = 0; i < all.rows; i++) {
		if (i < SHOWN && !all.row[i].beside)
			json_array_append_new(items, json_row(&all.row[i],
			    all.kernel_s));
		else
			rest += all.row[i].s;
	}
	o = json_pack("{s:b, s:o, s:o, s:o, s:o}",
	    "framework", all.framework,
	    "kernel_s", json_number(all.kernel_s),
	    "count", json_count(all.rows),
	    "rest_s", json_number(rest),
	    "items", items);
	operators_free(&all);
	return o;
}
