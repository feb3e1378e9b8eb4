/*
 * rules/withheld.c: rules-withheld WHAT CAPTURE prints the advice on CAPTURE as
 * if it had been recorded without WHAT (withhold.h), as one object: the
 * documents of `cudadvise findings` and `cudadvise kernels`. trust.py uses it
 * to judge programs as for a user without permission for counters.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "capture/enrich.h"
#include "model/model.h"
#include "report/analyse.h"
#include "report/document.h"
#include "report/json.h"
#include "rules/withhold.h"

static int
kind_of(const char *name)
{
	for (int i = 0; i < HELD_KINDS; i++)
		if (strcmp(withheld_name[i], name) == 0)
			return i;
	return -1;
}

/* The two documents, or NULL. */
static json_t *
said_of(struct model *m)
{
	struct analysis a = ANALYSIS_INIT;
	const struct subject x = { .analysis = &a };
	json_t *j = NULL;

	if (analysis_make(&a, m, true, NULL) == 0)
		j = json_pack("{s:o,s:{s:o}}", "findings",
		    document_kind[DOCUMENT_findings].write(&x), "kernels",
		    "items", json_kernels(a.run, a.advice));
	analysis_release(&a);
	return j;
}

static int
print(const char *path, enum withheld what)
{
	struct error e = ERROR_INIT;
	struct model *m = model_new();
	json_t *j = NULL;
	int rc = 1;

	if (m != NULL && withhold_load(path, what, m, &e) == 0 &&
	    enrich_model(m, NULL, NULL, &e) == 0)
		j = said_of(m);
	if (j != NULL && json_dumpf(j, stdout, JSON_COMPACT) == 0)
		rc = 0;
	else
		fprintf(stderr, "rules-withheld: %s: %s\n", path, e.text);
	json_decref(j);
	model_free(m);
	return rc;
}

int
main(int argc, char **argv)
{
	int what = argc == 3 ? kind_of(argv[1]) : -1;

	if (what >= 0)
		return print(argv[2], (enum withheld)what);
	fprintf(stderr, "usage: rules-withheld WHAT CAPTURE\nWHAT:");
	for (int i = 0; i < HELD_KINDS; i++)
		fprintf(stderr, " %s", withheld_name[i]);
	fprintf(stderr, "\n");
	return 2;
}
