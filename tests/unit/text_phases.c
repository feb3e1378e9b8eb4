/* The terminal report of what happened once or a few times. */
#include "report/json.h"
#include "report/text.h"

#include "unit/report_fixture.h"
#include "unit/text_page.h"

static struct fixture f;

/* The whole report, with very long lines. */
static const char *
report_text(void)
{
	return printed_report(report_of(&f), 500);
}

TEST(test_long_gap)
{
	struct site_frame frame = { .function = "step", .file = "/a/step.cu", .line = 7 };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = &frame, .frames = 1 };
	const char *text;

	fixture_fill(&f);
	f.run.idle_longest_ns = 4000000000u;
	f.run.idle_longest_by[IDLE_API] = 1000000000u;
	f.run.idle_longest_by[IDLE_HOST] = 3000000000u;
	text = report_text();
	assert_non_null(strstr(text, "\nOne long gap  the GPU waited 4 s (32 % "
	    "of the run) for the host's own work\n"));
	f.run.idle_longest_by[IDLE_HOST] = 0;
	text = report_text();
	assert_non_null(strstr(text, "of the run) for CUDA calls that launch "
	    "nothing"));
	f.run.site = &site;
	f.run.sites = 1;
	f.run.idle_longest_kernel = 1;
	text = report_text();
	assert_has(text, "that launch nothing, until a kernel was launched from "
	    "step.cu:7 in step()\n");
	/* Where the host went on is known of other calls, too. */
	site.call = CALL_MEMCPY_ASYNC;
	site.idle_longest_ns = 3000000000u;
	assert_has(report_text(), "that launch nothing, until CUDA was called from "
	    "step.cu:7 in step()\n");
	/* A hundredth of the run is not worth starting with. */
	f.run.idle_longest_ns = 124000000;
	text = report_text();
	assert_null(strstr(text, "One long gap"));
}

/* A gap in which a compiler works is no work of the program's own, and part of a finding
 * about compilations, if there is one. */
TEST(test_gap_of_compiler)
{
	struct site_frame frame[] = { { .function = "step", .file = "/a/step.py",
	    .line = 7, .python = true }, { .function = "_bench", .python = true,
	    .file = "/x/site-packages/triton/runtime/autotuner.py", .line = 164 } };
	struct site site[] = { { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = frame, .frames = 1 }, { .call = CALL_LAUNCH, .kernel = 1,
	    .count = 2, .frame = frame, .frames = 2 } };

	fixture_fill(&f);
	f.run.idle_longest_ns = f.run.idle_longest_by[IDLE_HOST] = 4000000000u;
	f.run.idle_longest_kernel = 1;
	f.run.site = site;
	f.run.sites = 2;
	assert_has(report_text(), "for the host's own work");
	f.run.compiling = (struct compiling){ .times = 1, .span_ns = UINT64_MAX / 2 };
	assert_has(report_text(), "\nOne long gap  the GPU waited 4 s (32 % of the run) "
	    "for a compiler that makes code, or tries it out, until a kernel was "
	    "launched from step.py:7");
	/* Most launches of the kernel are the program's. */
	site[0].count = 3;
	assert_has(report_text(), "for the host's own work");
	site[0].count = 1;
	f.finding[0].rule = "recompilation";
	assert_true(f.finding[0].worth_it);
	assert_null(strstr(report_text(), "One long gap"));
}

/* A gap that comes again between rounds is part of the finding about these. */
TEST(test_gap_between_rounds)
{
	struct site_frame frame = { .function = "train", .file = "/a/run.py", .line = 7,
	    .python = true };
	struct site site = { .call = CALL_MEMCPY_ASYNC, .count = 1, .frame = &frame,
	    .frames = 1 };
	struct process python = { .python = true };

	fixture_fill(&f);
	f.run.process = &python;
	f.run.processes = 1;
	f.run.site = &site;
	f.run.sites = 1;
	f.run.idle_longest_ns = f.run.idle_longest_by[IDLE_HOST] = 1500000000u;
	for (size_t i = 0; i < f.run.kernels; i++)
		f.run.kernel[i].last_ns = UINT64_MAX;
	for (size_t i = 0; i < 3; i++)
		f.run.pause[i] = (struct pause){ .start_ns = (1 + 3 * i) * 1000000000u,
		    .end_ns = (2 + 3 * i) * 1000000000u, .idle_ns = 1500000000u,
		    .host_ns = 1500000000u, .launches = 100 * i, .site = &site };
	f.run.pauses = 3;
	assert_has(report_text(), "One long gap");
	f.finding[0].rule = "gpu-idle-gaps";
	assert_null(strstr(report_text(), "One long gap"));
	f.run.pause[1].host_ns = 0;
	assert_has(report_text(), "One long gap");
}

/* A run that ended before its loop: told once, with what its phases took. */
TEST(test_unsteady)
{
	struct reason reason = reason_row[REASON_UNSTEADY];
	const char *text;

	fixture_fill(&f);
	assert_null(strstr(report_text(), "Not steady"));
	reason.text = "one-off phases are 15 s";
	f.verdict[3].reason = &reason;
	text = report_text();
	assert_has(text, "\nNot steady    one-off phases are 15 s\n");
	assert_null(strstr(strstr(text, "15 s") + 1, "15 s"));
}

TEST(test_elsewhere)
{
	fixture_fill(&f);
	assert_null(strstr(report_text(), "Elsewhere"));
	f.run.idle_ns[IDLE_ELSEWHERE] = 3000000000u;
	f.run.idle_total_ns = 9000000000u;
	assert_has(report_text(), "\nElsewhere     for 3 s (24 % of the run) the GPU did "
	    "not begin");
	assert_has(report_text(), "other processes have it in turns, a stream waited");
}

/* What stops short kernels of all kinds for the same time is another process. */
TEST(test_turns)
{
	struct kernel kernel[12];

	fixture_fill(&f);
	f.run.idle_ns[IDLE_ELSEWHERE] = 3000000000u;
	f.run.idle_total_ns = 9000000000u;
	for (size_t i = 0; i < 12; i++) {
		kernel[i] = f.run.kernel[0];
		kernel[i].time = (struct distribution){ .count = 0 };
		for (size_t n = 0; n < 30; n++)
			stat_add(&kernel[i].time, 5000 * (i + 1));
		if (i < 11)
			stat_add(&kernel[i].time, 5000 * (i + 1) + 2450000);
	}
	f.run.kernel = kernel;
	f.run.kernels = 12;
	assert_has(report_text(), "another process has it in turns, as kernels of all kinds last "
	    "2.45 ms longer now and then");
	/* Work that differs is no turn, and nor are a few kernels. */
	f.run.kernels = 9;
	assert_has(report_text(), "other processes have it in turns, a stream waited");
	f.run.kernels = 12;
	for (size_t i = 0; i < 12; i++)
		stat_add(&kernel[i].time, 2000000 + 500000 * i);
	assert_has(report_text(), "other processes have it in turns, a stream waited");
}

TEST(test_results)
{
	const char *text;

	fixture_fill(&f);
	f.run.idle_longest_ns = 2000000000u;
	f.run.results = (struct results){ .phases = 2, .copies = 2,
	    .copy_ns = 1000000000u, .host_ns = 3000000000u };
	text = report_text();
	assert_non_null(strstr(text, "\nLeft out      2 copies to the host (1 s) and "
	    "3 s of host work after that, probably checking results"));
	/* The longest gap is one of these. */
	assert_null(strstr(text, "One long gap"));
	f.run.results.copy_ns = 1000;
	text = report_text();
	assert_null(strstr(text, "Left out"));
	assert_non_null(strstr(text, "One long gap"));
}

/* If kernels ran only while measured, their time is unknown, at any level. */
TEST(test_least)
{
	const char *text;

	fixture_fill(&f);
	text = report_text();
	assert_null(strstr(text, "undisturbed"));
	f.kernel[1].total_least = true;
	text = report_text();
	assert_non_null(strstr(text, "\nNot known     undisturbed times of 1 "
	    "kernel; shown: lower bounds"));
}
