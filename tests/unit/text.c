/*
 * The terminal report, compared with tests/unit/report/NAME.txt. UPDATE_GOLDEN=1
 * unit-text writes new or changed ones: check the difference then.
 */
#include "report/json.h"
#include "report/text.h"
#include "report/text_parts.h"

#include "unit/report_fixture.h"
#include "unit/text_page.h"

static struct fixture f;

TEST(golden_report)
{
	const char *text;

	fixture_fill(&f);
	text = printed_report(report_of(&f), 80);
	assert_safe(text, 80);
	assert_golden("report", text);
}

TEST(golden_findings)
{
	const char *text;

	fixture_fill(&f);
	text = printed(report_of(&f), 80, true, print_findings);
	assert_safe(text, 80);
	assert_golden("findings", text);
}

TEST(golden_checklist)
{
	json_t *checklist;
	struct report *r;
	struct page p;

	fixture_fill(&f);
	r = report_of(&f);
	checklist = json_checklist(&f.run, &f.advice);
	page_open(&p, 80, true);
	text_checklist(&p.out, r, checklist);
	page_close(&p);
	assert_safe(p.text, 80);
	assert_golden("checklist", p.text);
	free(p.text);
	json_decref(checklist);
}

/* The head names the GPUs that the program used; all that it saw, if it used none. */
TEST(head_names_used_gpus)
{
	struct device device[2];

	fixture_fill(&f);
	device[0] = device[1] = f.device[0];
	device[1].busy_ns = 0;
	f.run.device = device;
	f.run.devices = 2;
	assert_non_null(strstr(printed_report(report_of(&f), 80), " · NVIDIA H200 · "));
	device[1].busy_ns = 1;
	assert_non_null(strstr(printed_report(report_of(&f), 80),
	    " · 2 × NVIDIA H200 · "));
	device[0].busy_ns = device[1].busy_ns = 0;
	assert_non_null(strstr(printed_report(report_of(&f), 80),
	    " · 2 × NVIDIA H200 · "));
}

TEST(golden_no_cuda)
{
	const char *text;

	fixture_fill(&f);
	f.run.processes = f.run.devices = f.run.kernels = 0;
	f.run.exit_code = -1;
	f.run.signal = 9;
	f.run.state = RUN_KILLED;
	text = printed_report(report_of(&f), 80);
	assert_safe(text, 80);
	assert_non_null(strstr(text, "No CUDA call was seen"));
	assert_non_null(strstr(text, "signal 9"));
	assert_golden("no_cuda", text);
}

/* A program that is mostly start-up: the text below the findings says what they
 * are relative to; nothing if that does not apply. */
TEST(short_program)
{
	struct report *r;
	const char *text;

	fixture_fill(&f);
	r = report_of(&f);
	text = printed_report(r, 80);
	assert_null(strstr(text, "Judged"));

	f.advice.active_s = 0.0124;
	f.advice.finding[0].saves_s = 0.0039;
	r = report_of(&f);
	text = printed_report(r, 80);
	assert_safe(text, 80);
	assert_non_null(strstr(text, "\nJudged        against GPU work and "
	    "the gaps in it (12.4 ms), not the whole run\n"));

	r->verbose = true;
	text = printed_report(r, 80);
	assert_non_null(strstr(text, "from first to last GPU work: 12.4 ms, "
	    "0.1 % of the run"));
}

/* The first ten lines say what to change, with its seconds and before the
 * measurements; three lines of head, at most two commands at the end. */
TEST(remedy_first)
{
	static const int widths[] = { 60, 80, 120 };
	const char *change, *why, *c;
	const char *text;
	size_t i;
	int lines;

	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		fixture_fill(&f);
		f.run.diagnostics = 0;
		text = printed_report(report_of(&f), widths[i]);
		assert_safe(text, widths[i]);
		change = strstr(text, "    → let a warp walk a row\n");
		why = strstr(text, "the sectors it needs");
		assert_non_null(change);
		assert_true(why > change);
		for (lines = 1, c = text; c < change; c++)
			lines += *c == '\n';
		assert_true(lines <= (widths[i] < 80 ? 8 : 7));
		c = strstr(text, "\nNext  ");
		assert_non_null(c);
		for (lines = 0; (c = strstr(c, "cudadvise ")) != NULL; c++)
			lines++;
		assert_int_equal(lines, 2);
	}
}

/* One fault that one change fixes is one entry, wherever else it occurs. */
TEST(one_fault_once)
{
	static struct finding more[5];
	const char *text;
	size_t i;

	fixture_fill(&f);
	for (i = 0; i < 5; i++) {
		more[i] = f.finding[0];
		more[i].saves_s = more[i].saves_high_s = 0.5;
		more[i].kernel = &f.kernel[i > 1];
		more[i].where = i > 1 ? "relu" : more[0].where;
	}
	more[3].where = "gelu";
	more[4].where = "tanh";
	more[4].advice = "do something else";
	f.advice.finding = more;
	f.advice.findings = 5;
	text = printed_report(report_of(&f), 120);
	assert_non_null(strstr(text, "      the same at 1 more launch shape and "
	    "in relu; gelu: up to 1.5 s more\n"));
	assert_non_null(strstr(text, "\n 5  tanh"));
	assert_null(strstr(text, "\n 2  "));
	assert_null(strstr(text, "\n 3  "));
}

/* The newest run needs no name; a capture always does. */
/* A hint about how all kernels were compiled is given only with the first one. */
TEST(hint_once)
{
	json_t *items = json_pack("[{s:s, s:s}, {s:s, s:s}, {s:s, s:n}]",
	    "where", "a", "location_missing", "no lines",
	    "where", "b", "location_missing", "no lines",
	    "where", "c", "location_missing");

	assert_non_null(items);
	assert_false(parts_missing_told(items, 0));
	assert_true(parts_missing_told(items, 1));
	assert_true(parts_missing_told(items, 2));
	json_decref(items);
}

/* If another finding saves the same time, the report says that nothing remains,
 * not 0 s. */
TEST(nothing_left)
{
	struct report *r;
	json_t *saves;
	const char *text;

	fixture_fill(&f);
	r = report_of(&f);
	saves = json_object_get(json_array_get(json_object_get(r->findings,
	    "items"), 0), "saves");
	json_object_set_new(saves, "after", json_integer(2));
	json_object_set_new(saves, "left_s", json_real(0));
	text = printed_report(r, 200);
	assert_non_null(strstr(text,
	    "; nothing remains once 2 is fixed"));
}

/* Two lines of the reason, in whole clauses; the rest needs -v. */
TEST(two_lines_of_why)
{
	static struct report with;
	struct finding *finding = &f.finding[0];
	const char *text;

	fixture_fill(&f);
	finding->summary = "loads touch 7 times the sectors they need (19.6 per "
	    "request); stores touch 8 times the sectors they need (31.9 per "
	    "request); nothing of it is in L1, which has 28.7 kB; and so on";
	finding->limiter = "limited by L2 (91 % busy)";
	finding->advice = "pad the rows of the tile by one element, or swizzle "
	    "the column with the row, so that a load of a warp goes to 32 "
	    "different banks (32-way: a column is read): then measure";
	with = *report_of(&f);
	text = printed_report(&with, 80);
	assert_non_null(strstr(text, "    → pad the rows of the tile by one "
	    "element, or swizzle the column with the\n      row, so that a load "
	    "of a warp goes to 32 different banks …\n"));
	assert_non_null(strstr(text, "      loads touch 7 times the sectors they "
	    "need; stores touch 8 times the\n      sectors they need; nothing of "
	    "it is in L1; limited by L2\n 2  "));
	text = printed_report(&with, 60);
	assert_non_null(strstr(text, "      uncoalesced loads: loads touch 7 "
	    "times the sectors\n      they need; limited by L2\n 2  "));
	with.verbose = true;
	text = printed_report(&with, 200);
	assert_non_null(strstr(text, "(32-way: a column is read)"));
	assert_non_null(strstr(text, "(31.9 per request)"));
}

TEST(next_names_the_run)
{
	struct report *r;
	struct page p;

	fixture_fill(&f);
	f.run.level = LEVEL_SOURCE;
	r = report_of(&f);
	page_open(&p, 80, true);
	text_report(&p.out, r);
	r->newest = true;
	text_report(&p.out, r);
	page_close(&p);
	assert_non_null(strstr(p.text, "cudadvise annotate --run 41 · "));
	assert_non_null(strstr(p.text, "cudadvise annotate · "));
	free(p.text);
}

/* The next step is never a finding below the noise. */
TEST(next_is_worth_it)
{
	struct report *r;
	json_t *items, *first;

	fixture_fill(&f);
	f.run.level = LEVEL_TRACE;
	r = report_of(&f);
	items = json_object_get(r->findings, "items");
	first = json_array_get(items, 0);
	assert_non_null(strstr(printed_report(r, 80), "cudadvise explain "));
	json_object_set_new(first, "worth_it", json_false());
	assert_null(strstr(printed_report(r, 80), "cudadvise explain "));
}

/* If nothing was measured, the report must not say that nothing was found. */
TEST(nothing_looked_at)
{
	const char *text;
	size_t i;

	fixture_fill(&f);
	f.advice.findings = 0;
	for (i = 0; i < 4; i++) {
		f.verdict[i].state = RULE_NOT_MEASURED;
		f.verdict[i].reason = &reason_row[REASON_PERMISSION];
	}
	text = printed_report(report_of(&f), 80);
	assert_null(strstr(text, "Nothing found"));
	assert_null(strstr(text, "Clean"));
	assert_non_null(strstr(text, "\nNot measured: the driver gives GPU "
	    "counters to administrators only"));
	f.verdict[2].state = RULE_CLEAN;
	text = printed_report(report_of(&f), 80);
	assert_non_null(strstr(text, "\nNothing found that is worth a change: "
	    "1 practice checked.\n"));
}

/* How long the program was held: a line of its own, a warning above the limit,
 * and nothing if unknown. */
TEST(held)
{
	static const struct {
		uint64_t longest, setup, replay, limit;
		const char *says, *not;
	} cases[] = {
		{ 48000000, 280000000, 0, 100000000, "\n  held at most 48 ms "
		    "at a time (limit 100 ms), 310 ms in all in 42 holds;",
		    "replays" },
		{ 48000000, 280000000, 0, 100000000, "set-up 280 ms",
		    "longer than" },
		{ 48000000, 0, 1200000000, 100000000, "; replays 1.2 s",
		    "; set-up" },
		{ 100000000, 0, 0, 100000000, "held at most 100 ms",
		    "longer than" },
		{ 480000000, 0, 0, 100000000, "\nHeld          for 480 ms at one "
		    "place, longer than the limit of 100 ms (--max-stall)",
		    "(limit" },
		{ 480000000, 0, 0, 0, "held at most 480 ms at a time, 310 ms",
		    "(limit" },
		{ 0, 280000000, 0, 100000000, "never held while it ran; "
		    "set-up 280 ms", "in all" },
		{ 0, 0, 0, 100000000, "measuring took", "  held" },
	};
	struct report *r;
	const char *text;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_fill(&f);
		if (cases[i].longest > 0)
			fixture_held(&f, cases[i].longest);
		f.run.held.known = true;
		f.run.held.setup_ns = cases[i].setup;
		f.run.held.replay_ns = cases[i].replay;
		f.run.held.limit_ns = cases[i].limit;
		r = report_of(&f);
		text = printed_report(r, 200);
		/* Without -v only holds above the limit. */
		if (cases[i].limit == 0 || cases[i].longest <= cases[i].limit)
			assert_null(strstr(text, "\n  held"));
		else
			assert_non_null(strstr(text, cases[i].says));
		r->verbose = true;
		text = printed_report(r, 200);
		assert_non_null(strstr(text, cases[i].says));
		assert_null(strstr(text, cases[i].not));
	}
}

/* Also on a narrow terminal, what was measured and its cost take one line. */
TEST(narrow_head)
{
	const char *text, *line;

	fixture_fill(&f);
	text = printed_report(report_of(&f), 50);
	line = strstr(text, "; it cost ");
	assert_non_null(line);
	assert_non_null(strstr(line, " %)"));
	assert_null(strstr(text, "measuring took"));
	assert_non_null(strstr(printed_report(report_of(&f), 120),
	    "; measuring took "));
}

/* Of several reasons, that of the kernel with the most time is given. */
TEST(why_not_measured)
{
	const char *text;

	fixture_fill(&f);
	/* The first in the list takes less time. */
	f.kernel[0].metric_complete = false;
	for (size_t i = 0; i < METRIC_COUNT; i++)
		f.kernel[0].metric[i] = NAN;
	f.kernel[0].skip = SKIP_COOPERATIVE;
	f.kernel[0].total_ns = 4000;
	text = printed_report(report_of(&f), 80);
	assert_null(strstr(text, "Not measured  2 kernels: a cooperative launch"));
	assert_non_null(strstr(text, "Not measured  2 kernels: "));
	f.kernel[0].total_ns = 6000;
	text = printed_report(report_of(&f), 80);
	assert_non_null(strstr(text, "Not measured  2 kernels: a cooperative launch"));
}

/* The report says what the next level would add, if it adds something and
 * kernels take the time. */
TEST(next_level)
{
	static const struct {
		enum reason_code missing, reason;
		double exposed_ns;
		enum wire_level level;
		const char *want;	/* NULL: no such line */
	} cases[] = {
		{ REASON_NEEDS_AUTO, REASON_NEEDS_AUTO,
		  4.2e9, LEVEL_COUNTERS, "`--level auto` adds the line of 1 "
		  "finding and 1 more practice\n" },
		{ REASON_NO_LINEINFO, REASON_NEEDS_AUTO,
		  4.2e9, LEVEL_COUNTERS,
		  "`--level auto` adds 1 more practice\n" },
		{ REASON_NEEDS_AUTO, REASON_TOO_FEW_LAUNCHES,
		  4.2e9, LEVEL_COUNTERS,
		  "`--level auto` adds the line of 1 finding\n" },
		{ REASON_NO_LINEINFO, REASON_NEEDS_SOURCE,
		  4.2e9, LEVEL_AUTO,
		  "`--level source` adds 1 more practice\n" },
		{ REASON_NO_LINEINFO, REASON_NEEDS_SOURCE,
		  4.2e9, LEVEL_COUNTERS, NULL },
		{ REASON_NEEDS_AUTO, REASON_NEEDS_AUTO,
		  1.1e9, LEVEL_COUNTERS, NULL },
		{ REASON_NEEDS_AUTO, REASON_NEEDS_AUTO,
		  4.2e9, LEVEL_TRACE, NULL },
		{ REASON_LINE_NO_SITE, REASON_TOO_FEW_LAUNCHES, 4.2e9, LEVEL_COUNTERS, NULL },
	};
	const char *text;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_fill(&f);
		f.finding[0].location_missing = &reason_row[cases[i].missing];
		f.verdict[3].reason = &reason_row[cases[i].reason];
		f.kernel[0].exposed_ns = cases[i].exposed_ns;
		f.run.level = cases[i].level;
		text = printed_report(report_of(&f), 80);
		assert_safe(text, 80);
		if (cases[i].want == NULL)
			assert_null(strstr(text, "` adds"));
		else
			assert_non_null(strstr(text, cases[i].want));
	}
}

TEST(narrow_and_ascii)
{
	struct report *r;
	const char *text;
	const char *c;

	fixture_fill(&f);
	f.run.lost = 1234;
	f.process[0].lost[LOSS_QUEUE] = 1234;
	r = report_of(&f);
	text = printed(r, 60, false, text_report);
	assert_safe(text, 60);
	for (c = text; *c != '\0'; c++)
		assert_true((unsigned char)*c < 0x80);
	assert_non_null(strstr(text, "1,234 of 213,234 records dropped"));
	assert_non_null(strstr(text, "queue 1,234"));
	assert_null(strstr(text, "nothing dropped"));
}

/* A process without BYE: what it did not send is unknown. */
TEST(early_end)
{
	struct report *r;
	const char *text;

	fixture_fill(&f);
	f.process[0].ended = false;
	r = report_of(&f);
	text = printed_report(r, 80);
	assert_non_null(strstr(text, "  The record of 1 process ends early "
	    "(it was killed, or the capture was cut):\n  how much is missing is "
	    "not known.\n"));
	assert_non_null(strstr(text, "nothing dropped of what arrived\n"));
	assert_false(json_is_true(json_object_get(json_object_get(r->run,
	    "data"), "complete")));
}

/* The singular of each noun. */
TEST(one_of_each)
{
	static const char *const wrong[] = { "1 launches", "1 kernels",
		"1 samples", "1 records", "1 practices", "1 findings" };
	struct report *r;
	struct page p;
	size_t i;

	fixture_fill(&f);
	f.run.level = LEVEL_SOURCE;
	f.run.launches = f.run.kernels = f.run.samples = 1;
	f.run.samples_dropped = f.run.lost = f.run.records = 1;
	f.kernel[0].launches = 1;
	r = report_of(&f);
	r->verbose = true;
	page_open(&p, 120, true);
	text_report(&p.out, r);
	text_findings(&p.out, r, true);
	page_close(&p);
	assert_non_null(strstr(p.text, "1 launch of 1 kernel"));
	assert_non_null(strstr(p.text, "of 1 kernel counted, 1 sample, 1 "));
	assert_non_null(strstr(p.text, "1 of 2 records dropped"));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_null(strstr(p.text, wrong[i]));
	free(p.text);
}

/* Commands to copy are not cut at the edge of the page. */
TEST(commands_are_whole)
{
	static char name[] = "captures/of-a-long-running-program-and-its-second-"
	    "variant/measured-on-a-sunday.cadv";
	struct report *r;
	const char *text;

	fixture_fill(&f);
	r = report_of(&f);
	r->name = name;
	json_object_del((json_t *)r->run, "number");
	text = printed_report(r, 80);
	assert_non_null(strstr(text, "              cudadvise findings captures/"));
	/* The dashboard does not have it yet. */
	assert_null(strstr(text, "dashboard"));
	assert_non_null(strstr(text, "measured-on-a-sunday.cadv\n"));
}

/* A kernel's name that is wider than the page continues on the next line. A
 * path is not broken. */
TEST(long_words)
{
	struct page p;

	page_open(&p, 40, true);
	out_wrap(&p.out, 6, "see sm80_xmma_fprop_implicit_gemm_f32f32_tilesize "
	    "in /a/path/that/is/longer/than/the/line/has/room.cu");
	page_close(&p);
	assert_string_equal(p.text, "      see\n"
	    "      sm80_xmma_fprop_implicit_gemm_f32f\n"
	    "      32_tilesize in\n"
	    "      /a/path/that/is/longer/than/the/line/has/room.cu\n");
	free(p.text);
}

/* Any field of a document may be missing: the daemon may be older or newer. */
TEST(missing_fields)
{
	struct report r = { .run = json_object(), .findings = json_object(),
	    .kernels = json_array(), .diagnostics = json_array(),
	    .name = "x" };
	struct page p;

	page_open(&p, 80, true);
	text_report(&p.out, &r);
	text_findings(&p.out, &r, true);
	json_object_set_new((json_t *)r.run, "processes", json_integer(1));
	json_object_set_new((json_t *)r.findings, "items",
	    json_pack("[{}, {s:b}, s]", "worth_it", 1, "text"));
	text_report(&p.out, &r);
	text_findings(&p.out, &r, true);
	text_rule(&p.out, r.findings);
	page_close(&p);
	assert_true(p.len > 0);
	free(p.text);
	report_free(&r);
}

TEST(colour_is_ours_only)
{
	struct report *r;
	struct page p;
	char *at;

	fixture_fill(&f);
	r = report_of(&f);
	page_open(&p, 80, true);
	p.out.color = true;
	text_findings(&p.out, r, true);
	page_close(&p);
	/* Every escape is one of "\033[<digit(s)>m" that out.c writes. */
	for (at = p.text; (at = strchr(at, '\033')) != NULL; at++) {
		assert_int_equal(at[1], '[');
		assert_true(strspn(at + 2, "0123456789") > 0);
		assert_int_equal(at[2 + strspn(at + 2, "0123456789")], 'm');
	}
	/* The target's "\033[31m" has lost its escape. */
	assert_non_null(strstr(p.text, "?[31mout of memory"));
	free(p.text);
}
