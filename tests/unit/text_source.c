/*
 * The annotated source, and the lines and launch sites in findings, compared
 * with tests/unit/report/NAME.txt.
 */
#include "report/json.h"
#include "report/json_source.h"
#include "report/source_page.h"
#include "report/text.h"
#include "report/text_source.h"

#include "unit/source_fixture.h"
#include "unit/text_page.h"

static struct fixture f;
static struct source_fixture sf;

static int
setup(void **state)
{

	(void)state;
	fixture_fill(&f);
	fixture_source(&f, &sf);
	return 0;
}

/* The documents that the command has for the fixture's kernel ${k}. */
static void
annotate_open(struct annotate *a, size_t k)
{
	json_t *source = json_source(&f.run, &f.kernel[k], &f.advice), *files;
	size_t len, i;
	char *code = json_instructions(&f.kernel[k], &len);

	assert_non_null(source);
	assert_non_null(code);
	json_object_set_new(source, "instructions",
	    json_loadb(code, len, 0, NULL));
	free(code);
	files = json_array();
	for (i = 0; i < f.run.source_files; i++)
		json_array_append_new(files, json_source_file(&f.run, i));
	*a = (struct annotate){ .source = source, .files = files,
	    .findings = json_findings(&f.run, &f.advice),
	    .kernel = json_kernel(&f.run, &f.kernel[k], &f.advice),
	    .run = "41" };
}

static void
annotate_close(struct annotate *a)
{

	json_decref((json_t *)a->source);
	json_decref((json_t *)a->files);
	json_decref((json_t *)a->findings);
	json_decref((json_t *)a->kernel);
}

/* Prints at ${width}, compares with golden ${name} unless it is NULL, and
 * returns the text. */
static char *
draw(struct annotate *a, int width, bool utf8, const char *name)
{
	struct page p;

	page_open(&p, width, utf8);
	assert_int_equal(text_source(&p.out, a), 0);
	page_close(&p);
	if (!a->whole)
		assert_safe(p.text, width);
	if (name != NULL)
		assert_golden(name, p.text);
	return p.text;
}

TEST_WITH(golden_lines, setup, NULL)
{
	struct annotate a;

	annotate_open(&a, 0);
	free(draw(&a, 100, true, "annotate"));
	annotate_close(&a);
}

TEST_WITH(golden_all_with_sass, setup, NULL)
{
	struct annotate a;

	annotate_open(&a, 0);
	a.all = a.sass = true;
	free(draw(&a, 100, true, "annotate_sass"));
	annotate_close(&a);
}

/* Narrow and without UTF-8: the same in fewer columns. */
TEST_WITH(narrow_and_ascii, setup, NULL)
{
	struct annotate a;
	char *text, *c;

	annotate_open(&a, 0);
	a.all = a.sass = true;
	text = draw(&a, 60, false, NULL);
	for (c = text; *c != '\0'; c++)
		assert_true((unsigned char)*c < 0x80);
	free(text);
	/* Code is more than the columns beside it, but for the time. */
	text = draw(&a, 40, true, NULL);
	assert_non_null(strstr(text, "\n  time "));
	assert_null(strstr(text, "sectors  "));
	assert_non_null(strstr(text, "   12          out[row"));
	free(text);
	/* With -v lines are not cut. */
	a.whole = true;
	text = draw(&a, 60, true, NULL);
	assert_non_null(strstr(text, "expf(inp[row * C + i] - maxval);"));
	free(text);
	annotate_close(&a);
}

TEST_WITH(focus, setup, NULL)
{
	struct annotate a;
	struct page p;
	char *text;

	annotate_open(&a, 0);
	a.focus_file = "softmax.cu";
	a.focus_line = 12;
	text = draw(&a, 100, true, NULL);
	assert_non_null(strstr(text, "expf(inp"));
	assert_null(strstr(text, "reduce.cuh  "));
	free(text);
	/* A line without code, another file's, part of a file's name. */
	page_open(&p, 100, true);
	a.focus_line = 1;
	assert_int_equal(text_source(&p.out, &a), 1);
	a.focus_file = "max.cu";
	a.focus_line = 12;
	assert_int_equal(text_source(&p.out, &a), 1);
	page_close(&p);
	assert_int_equal(p.len, 0);
	free(p.text);
	annotate_close(&a);
}

/* No line table: the reason with its flag, and instructions instead. */
TEST_WITH(golden_no_lines, setup, NULL)
{
	struct annotate a;
	size_t i;

	sf.code.has_lines = false;
	sf.code.lines = 0;
	sf.code.lineless = &reason_row[REASON_NO_LINEINFO];
	for (i = 0; i < FIXTURE_INSTRUCTIONS; i++)
		sf.instruction[i].line = LINE_NONE;
	f.finding[0].hots = 1;
	f.finding[0].hot[0].file = NULL;
	f.finding[0].hot[0].line = 0;
	annotate_open(&a, 0);
	free(draw(&a, 100, true, "annotate_no_lines"));
	annotate_close(&a);
}

TEST_WITH(nothing_measured, setup, NULL)
{
	struct annotate a;
	char *text;

	f.run.level = LEVEL_COUNTERS;
	annotate_open(&a, 1);
	text = draw(&a, 80, true, NULL);
	assert_non_null(strstr(text, "needs --level auto"));
	/* One reason for all parts is given once. */
	assert_null(strstr(strstr(text, "--level auto") + 1,
	    "--level auto"));
	free(text);
	annotate_close(&a);
	/* Lines without any value: all of them are shown, with the reason. */
	sf.code.counted = sf.code.sampled = false;
	sf.code.uncounted = &reason_row[REASON_BUDGET];
	annotate_open(&a, 0);
	text = draw(&a, 100, true, NULL);
	assert_non_null(strstr(text, "not counted: the overhead budget"));
	assert_non_null(strstr(text, "sum += out") ? text :
	    strstr(text, "maxval = fmaxf"));
	free(text);
	annotate_close(&a);
}

/* A listing without measurements is printed only on request. */
TEST_WITH(instructions_alone, setup, NULL)
{
	struct annotate a = { .run = "x" };
	char *text;

	a.source = json_loads("{\"instructions\": [{\"pc\": 16, \"text\": "
	    "\"MOV R1,R2\"}, {\"pc\": 32, \"text\": \"EXIT\"}]}", 0, NULL);
	assert_non_null(a.source);
	text = draw(&a, 100, true, NULL);
	assert_null(strstr(text, "EXIT"));
	assert_non_null(strstr(text, "2 instructions, none of them counted"));
	free(text);
	a.sass = true;
	text = draw(&a, 100, true, NULL);
	assert_non_null(strstr(text, "EXIT"));
	assert_null(strstr(text, "none of them counted"));
	free(text);
	json_decref((json_t *)a.source);
}

/* Documents may lack any member, or have the wrong type. */
TEST_WITH(odd_documents, setup, NULL)
{
	static const char *const odd[] = {
		"{}",
		"{\"lines\": [1, {}, {\"file\": 0, \"line\": 5}, {\"file\": 9,"
		"\"line\": 4294967295, \"inlined_at\": 3}], \"files\": [7,"
		"{\"index\": 0, \"path\": null}, {\"index\": 9}]}",
		"{\"lines\": [{\"file\": 0, \"line\": 0, \"inlined_at\": 0,"
		"\"samples\": {\"all\": 5}}, {\"file\": 0, \"line\": 2,"
		"\"inlined_at\": 0}], \"totals\": {\"samples\": {\"all\": 5}},"
		"\"files\": [{\"index\": 0}], \"sampled\": true}",
		"{\"instructions\": [{}, 5, {\"line\": -1, \"pc\": 16},"
		"{\"line\": 99}]}",
		"{\"metrics\": [{\"name\": 5}, {}, 3], \"lines\": {}}",
	};
	struct annotate a = { .findings = NULL, .run = "x" };
	struct page p;
	json_t *files, *findings;
	size_t i;

	files = json_loads("[5, {}, {\"index\": 0, \"text\": \"a\\n\\tb\"}]",
	    0, NULL);
	findings = json_loads("{\"items\": [3, {}, {\"kernel_id\": 0,"
	    "\"hot_lines\": [4, {\"file\": 5}], \"site\": {\"first\": 9}}]}",
	    0, NULL);
	for (i = 0; i < 2 * sizeof(odd) / sizeof(odd[0]); i++) {
		a.source = json_loads(odd[i / 2], 0, NULL);
		assert_non_null(a.source);
		a.files = i % 2 ? files : NULL;
		a.findings = i % 2 ? findings : NULL;
		a.all = a.sass = i % 2;
		page_open(&p, 80, true);
		assert_int_equal(text_source(&p.out, &a), 0);
		page_close(&p);
		free(p.text);
		json_decref((json_t *)a.source);
	}
	json_decref(files);
	json_decref(findings);
}

/* A long chain of inlined calls that is circular. */
TEST_WITH(chain_without_end, setup, NULL)
{
	struct source_page p;
	json_t *source = json_pack("{s:b, s:{s:{s:i}}, s:[{s:i, s:i, s:i,"
	    "s:{s:i}}, {s:i, s:i, s:i, s:{s:i}}]}", "sampled", 1,
	    "totals", "samples", "all", 10,
	    "lines", "file", 0, "line", 1, "inlined_at", 1, "samples", "all",
	    5, "file", 0, "line", 2, "inlined_at", 0, "samples", "all", 5);

	assert_non_null(source);
	assert_int_equal(page_make(&p, source), 0);
	assert_int_equal(p.places, 2);
	page_free(&p);
	json_decref(source);
}

/* One line in two inline contexts is one place with the sum of both. */
TEST_WITH(contexts_add_up, setup, NULL)
{
	struct source_page p;
	json_t *source;

	sf.line[4].file = 0;
	sf.line[4].line = 15;
	source = json_source(&f.run, &f.kernel[0], &f.advice);
	assert_int_equal(page_make(&p, source), 0);
	assert_int_equal(p.places, FIXTURE_LINES - 1);
	assert_true(p.place[page_find(&p, 0, 15)].heat.inst ==
	    204800 + 256);
	assert_true(page_find(&p, 0, 11) == SIZE_MAX);
	assert_true(fabs(page_share(&p, &p.place[page_find(&p, 0,
	    10)].heat) - 0.946) < 1e-9);
	assert_int_equal(page_stall(&p.place[page_find(&p, 0, 10)].heat),
	    STALL_LONG_SCOREBOARD);
	assert_int_equal(p.inlineds, 1);
	page_free(&p);
	json_decref(source);
}

static void
print_lines(struct out *o, const struct report *r)
{
	text_findings(o, r, false);
}

TEST_WITH(golden_report, setup, NULL)
{
	const char *text = printed_report(report_of(&f), 80);

	assert_safe(text, 80);
	assert_golden("report_source", text);
	text = printed(report_of(&f), 80, true, print_lines);
	assert_safe(text, 80);
	assert_golden("findings_source", text);
}

/* The reason why a kernel has no lines is given once, however many findings it has. */
TEST_WITH(missing_once, setup, NULL)
{
	static const struct reason why = { .code = REASON_NO_LINEINFO,
	    .text = "no line table: build with -lineinfo" };
	const char *at;
	int i, n;

	f.finding[0].hots = 0;
	f.finding[0].location_missing = &why;
	f.finding[1] = f.finding[0];
	f.finding[1].rule = "tail-effect";
	for (i = 0; i < 2; i++) {
		at = printed(report_of(&f), 80, true,
		    i == 0 ? text_report : print_findings);
		for (n = 0; (at = strstr(at, why.text)) != NULL; at++)
			n++;
		assert_int_equal(n, 1);
	}
}
