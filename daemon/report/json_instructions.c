/*
 * The instructions of a kernel as JSON text. There may be 100,000 of them, and
 * a report should appear 300 ms after the program's end: writing them directly,
 * without an object for each, takes a third of the time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/model.h"
#include "report/json_util.h"

#include "report/json_source.h"

/* model/lines/source.def's names in lower case. */
const char *
source_metric_key(size_t i)
{
	static const char *const keys[SOURCE_COUNT] = {
		[SOURCE_INST] = "inst",
		[SOURCE_THREADS] = "threads",
		[SOURCE_THREADS_ON] = "threads_on",
		[SOURCE_GLOBAL_SECTORS] = "global_sectors",
		[SOURCE_GLOBAL_IDEAL] = "global_ideal",
		[SOURCE_GLOBAL_TAGS] = "global_tags",
		[SOURCE_LOCAL_SECTORS] = "local_sectors",
		[SOURCE_SHARED_WAVEFRONTS] = "shared_wavefronts",
		[SOURCE_SHARED_IDEAL] = "shared_ideal",
		[SOURCE_BRANCH_UNIFORM] = "branch_uniform",
		[SOURCE_BRANCH_DIVERGENT] = "branch_divergent",
		[SOURCE_GLOBAL_LD] = "global_ld",
		[SOURCE_GLOBAL_ST] = "global_st",
		[SOURCE_GLOBAL_ATOM] = "global_atom",
		[SOURCE_GLOBAL_RED] = "global_red",
		[SOURCE_SHARED_LD] = "shared_ld",
		[SOURCE_SHARED_ST] = "shared_st",
		[SOURCE_SHARED_ATOM] = "shared_atom",
	};

	return i < SOURCE_COUNT && keys[i] != NULL ? keys[i] : "unknown";
}

bool
source_metric_known(const struct code *c, size_t i)
{

	return c->counted && isfinite(c->total[i]);
}

static void
put_number(FILE *f, double v)
{

	if (!isfinite(v))
		fputs("null", f);
	else if (v == floor(v) && fabs(v) < 9e15)
		fprintf(f, "%" PRId64, (int64_t)v);
	else
		fprintf(f, "%.15g", v);
}

static void
put_values(FILE *f, const struct code *c, const double *value)
{
	const char *comma = "";
	size_t i;

	putc('{', f);
	for (i = 0; i < SOURCE_COUNT; i++) {
		if (!source_metric_known(c, i) || value[i] == 0)
			continue;
		fprintf(f, "%s\"%s\":", comma, source_metric_key(i));
		put_number(f, value[i]);
		comma = ",";
	}
	putc('}', f);
}

static void
put_samples(FILE *f, const struct code *c, const struct samples *s)
{
	const char *comma = "";
	size_t i;

	if (!c->sampled) {
		fputs("null", f);
		return;
	}
	fprintf(f, "{\"all\":%" PRIu64 ",\"not_issued\":%" PRIu64
	    ",\"stalls\":{", s->all, s->not_issued);
	for (i = 0; i < STALL_COUNT; i++) {
		if (s->stall[i] == 0)
			continue;
		fprintf(f, "%s\"%s\":%" PRIu32, comma, stall_table[i].key,
		    s->stall[i]);
		comma = ",";
	}
	fputs("}}", f);
}

/* Writes text of the disassembler as a JSON string. */
static int
put_text(FILE *f, const char *s)
{
	json_t *text = json_text(s);
	int rc = text == NULL ? -1 : json_dumpf(text, f, JSON_ENCODE_ANY);

	json_decref(text);
	return rc;
}

static int
put_instruction(FILE *f, const struct code *c, const struct instruction *i)
{
	const char *text = NULL;

	if (i->sass < c->sass.instructions)
		text = c->sass.instruction[i->sass].text;
	fprintf(f, "{\"pc\":%" PRIu32 ",\"line\":", i->pc);
	if (i->line < c->lines)
		fprintf(f, "%" PRIu32, i->line);
	else
		fputs("null", f);
	fputs(",\"text\":", f);
	if (put_text(f, text) != 0)
		return -1;
	fputs(",\"values\":", f);
	put_values(f, c, i->value);
	fputs(",\"samples\":", f);
	put_samples(f, c, &i->samples);
	putc('}', f);
	return 0;
}

char *
json_instructions(const struct kernel *k, size_t *len)
{
	const struct code *c = k->code;
	char *text = NULL;
	bool ok = true;
	FILE *f;
	size_t i;

	if ((f = open_memstream(&text, len)) == NULL)
		return NULL;
	putc('[', f);
	for (i = 0; c != NULL && i < c->instructions && ok; i++) {
		if (i > 0)
			putc(',', f);
		ok = put_instruction(f, c, &c->instruction[i]) == 0;
	}
	putc(']', f);
	ok = ok && !ferror(f);
	if (fclose(f) != 0 || !ok) {
		free(text);
		return NULL;
	}
	return text;
}
