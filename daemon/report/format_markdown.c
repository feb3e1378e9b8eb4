/* A table of what to change first, for a pull request or a step's summary. */
#include <stdlib.h>
#include <string.h>

#include "report/by_time.h"
#include "report/text_util.h"

#include "report/format.h"

#define KERNELS_SHOWN 10

/* Text of a cell: markup in the program's own text is escaped. */
static void
cell(FILE *f, const char *s)
{
	char *clean = format_clean(s), *p;

	for (p = clean; p != NULL && *p != '\0'; p++) {
		if (*p == '<')
			fputs("&lt;", f);
		else if (*p == '&')
			fputs("&amp;", f);
		else if (strchr("\\`*_{}[]()#!|~@", *p) != NULL)
			fprintf(f, "\\%c", *p);
		else
			putc(*p, f);
	}
	free(clean);
	fputs(" | ", f);
}

static void
finding_row(FILE *f, const struct report *r, const json_t *x)
{
	const json_t *saves = json_object_get(x, "saves");
	struct place p = format_place(r->run, x);
	char a[NUMBER_SIZE], b[NUMBER_SIZE], at[4200];
	double s = field_number(saves, "s");

	number_interval(b, s, field_number(saves, "low_s"),
	    field_number(saves, "high_s"));
	fprintf(f, "| %s%s%s%s | ", number_seconds(a, s), b[0] != '\0' ? " (" :
	    "", b, b[0] != '\0' ? ")" : "");
	cell(f, or_unknown(field_text(x, "where")));
	cell(f, or_unknown(field_text(x, "title")));
	snprintf(at, sizeof(at), "%s:%llu", p.file != NULL ? p.file : "",
	    (unsigned long long)p.line);
	cell(f, p.file != NULL && p.line > 0 ? at : "–");
	cell(f, or_unknown(field_text(x, "advice")));
	putc('\n', f);
}

static void
kernel_row(FILE *f, const json_t *k)
{
	const json_t *time = json_object_get(k, "time");
	const char *bound = field_text(k, "bound");
	char a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE];

	fputs("| ", f);
	cell(f, or_unknown(field_text(k, "name")));
	fprintf(f, "%s | %s | %s | %s |\n", number_count(a, field_count(k,
	    "launches")), number_seconds(b, field_number(time, "total_ns") *
	    1e-9), number_seconds(c, field_number(time, "mean_ns") * 1e-9),
	    bound != NULL ? bound : "–");
}

/* Most time first. */
static int
kernel_table(FILE *f, const json_t *kernels)
{
	size_t n = json_array_size(kernels), i;
	json_t **k = by_time(kernels);

	if (k == NULL)
		return -1;
	if (n > 0)
		fputs("\n| kernel | launches | total | mean | limited by |\n"
		    "|---|---|---|---|---|\n", f);
	for (i = 0; i < n && i < KERNELS_SHOWN; i++)
		kernel_row(f, k[i]);
	if (n > KERNELS_SHOWN)
		fprintf(f, "\n%zu more kernels are left out.\n", n -
		    KERNELS_SHOWN);
	free(k);
	return 0;
}

int
format_markdown(FILE *f, const struct report *r)
{
	const json_t *x;
	bool any = false;
	size_t i = 0;

	fputs("### cudadvise: what to change first\n\n", f);
	while ((x = format_next(r, &i)) != NULL) {
		if (!any)
			fputs("| would save | where | what | line | instead "
			    "|\n|---|---|---|---|---|\n", f);
		any = true;
		finding_row(f, r, x);
	}
	if (!any)
		fputs("Nothing that was measured is worth a change.\n", f);
	return kernel_table(f, r->kernels);
}
