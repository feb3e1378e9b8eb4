/* Findings from the reports of correctness tools. */
#include <math.h>
#include <string.h>

#include "model/lines/source.h"
#include "rules/faults.h"
#include "unit/test.h"

#define RULE "sanitizer-findings"

static struct made m;
static struct advice *a;

static int
setup(void **state)
{
	(void)state;
	made_init(&m);
	fault_checked(&m);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	advice_free(a);
	a = NULL;
	return 0;
}

static const struct finding *
judge(void)
{
	advice_free(a);
	a = made_advice(&m);
	assert_non_null(a);
	return made_finding(a, RULE);
}

static void
is_unmeasured(const char *why)
{
	const struct verdict *v = made_verdict(a, RULE);

	assert_int_equal(v->state, RULE_NOT_MEASURED);
	if (strstr(v->reason->text, why) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", why, v->reason->text);
}

/* The state is clean only if all four tools saw the whole program. */
TEST_WITH(test_clean, setup, teardown)
{
	assert_null(judge());
	assert_int_equal(made_verdict(a, RULE)->state, RULE_CLEAN);
	m.check[3].state = RAN_PARTIAL;
	judge();
	is_unmeasured("synccheck: the program failed");
	m.check[3].state = RAN_NO_GPU;
	judge();
	is_unmeasured("used no GPU");
	m.check[3].state = RAN_FAILED;
	judge();
	is_unmeasured("no report");
	m.run.checks = 2;
	judge();
	is_unmeasured("not run: initcheck, synccheck");
	m.run.checks = 0;
	judge();
	is_unmeasured("cudadvise sanitize");
}

/* The rules about time say why they were not evaluated. */
TEST_WITH(test_others, setup, teardown)
{
	judge();
	for (size_t i = 0; i < a->verdicts; i++) {
		if (strcmp(a->verdict[i].rule, RULE) == 0)
			continue;
		assert_int_equal(a->verdict[i].state, RULE_NOT_MEASURED);
		assert_int_equal(a->verdict[i].reason->code, REASON_CHECKED_RUN);
	}
}

TEST_WITH(test_place, setup, teardown)
{
	const struct finding *f;

	made_init(&m);
	fault_out_of_bounds(&m);
	f = judge();
	assert_string_equal(f->where, "shift");
	assert_int_equal(f->severity, SEV_HIGH);
	assert_int_equal(f->confidence, CONF_HIGH);
	assert_true(f->worth_it);
	assert_int_equal(f->hots, 1);
	assert_string_equal(f->hot[0].file, "/src/load.cuh");
	assert_int_equal(f->hot[0].line, 12);
	assert_string_equal(f->hot[0].function, "load");
	assert_string_equal(f->hot[0].called_file, "/src/rows.cu");
	assert_int_equal(f->hot[0].called_line, 41);
	assert_string_equal(f->location,
	    "thread (255,0,0) of block (7,1,0)");
	assert_non_null(f->site);
	assert_int_equal(f->site->call, CALL_LAUNCH);
	assert_string_equal(f->site->frame[0].function, "shift_all(float *)");
	assert_int_equal(f->site->frame[0].line, 88);
	assert_null(f->location_missing);
	assert_non_null(strstr(f->summary, "memcheck: Invalid __global__ read "
	    "of size 4 bytes, 32 times; Access at"));
	assert_non_null(strstr(f->bad_code, "in[i + 1]"));
	assert_non_null(strstr(f->good_code, "if (i + 1 < n)"));
	assert_string_equal(f->next, "cudadvise sanitize --tool memcheck -- "
	    "./app --n 3");
	assert_true(isnan(f->saves_s));
}

/* A race has two ends, and warnings about warp programming have low severity. */
TEST_WITH(test_race, setup, teardown)
{
	struct defect *d = fault_defect(&m, TOOL_RACECHECK, DEFECT_RACE);
	const struct finding *f;

	d->text = "Race reported between Write access";
	d->function = d->kernel = "reverse(float *)";
	d->file = d->partner_file = "r.cu";
	d->line = 41;
	d->partner_line = 51;
	d->count = 508;
	f = judge();
	assert_string_equal(f->summary, "racecheck: the write at r.cu:41 races "
	    "with r.cu:51, 508 hazards");
	assert_string_equal(f->location, "in reverse(float *)");
	assert_int_equal(f->hots, 2);
	assert_int_equal(f->hot[1].line, 51);
	assert_int_equal(f->severity, SEV_HIGH);
	assert_non_null(strstr(f->good_code, "__syncthreads();"));
	d->severity = SEVERITY_WARNING;
	assert_int_equal(judge()->severity, SEV_MEDIUM);
	d->severity = SEVERITY_INFO;
	assert_false(judge()->worth_it);
}

/* Failing calls after an error in a kernel are only its consequences. */
TEST_WITH(test_followers, setup, teardown)
{
	struct defect *d = fault_defect(&m, TOOL_MEMCHECK, DEFECT_API);
	const struct finding *f;

	d->text = "Program hit cudaErrorLaunchFailure (error 719) due to "
	    "\"unspecified launch failure\" on CUDA API call to "
	    "cudaDeviceSynchronize";
	f = judge();
	assert_true(f->worth_it);
	assert_string_equal(f->where, "cudaDeviceSynchronize");
	assert_non_null(f->location_missing);
	fault_defect(&m, TOOL_MEMCHECK, DEFECT_BOUNDS);
	f = judge();
	assert_true(f->worth_it);		/* the error itself */
	assert_string_equal(f->title, "access out of bounds");
	assert_false(a->finding[1].worth_it);
	assert_string_equal(a->finding[1].title, "CUDA call failed");
	/* In the run of another tool they are not its consequences. */
	m.defect[1].tool = TOOL_INITCHECK;
	judge();
	assert_true(a->finding[0].worth_it && a->finding[1].worth_it);
	/* Failures of a library's own queries to the driver do not matter either. */
	m.run.defects = 1;
	d->text = "Program hit CUDA_ERROR_NOT_FOUND (error 500) due to "
	    "\"named symbol not found\" on CUDA API call to "
	    "cuGetProcAddress_v2";
	assert_false(judge()->worth_it);
}

TEST_WITH(test_leaks, setup, teardown)
{
	struct defect *d = fault_defect(&m, TOOL_MEMCHECK, DEFECT_LEAK);
	const struct finding *f;

	d->bytes = 4 << 20;
	d->reports = d->count = 15;
	d->site = "make_buffer()";
	f = judge();
	assert_false(f->worth_it);
	assert_string_equal(f->where, "device memory");
	assert_non_null(strstr(f->summary, "4.19 MB in 15 allocations"));
	assert_int_equal(f->site->call, CALL_MALLOC);
	d->reports = d->count = 16;
	f = judge();
	assert_true(f->worth_it);
	assert_int_equal(f->severity, SEV_LOW);
}

/* Every kind has a title, advice and, except hardware errors, example code. */
TEST_WITH(test_kinds, setup, teardown)
{
	for (int k = 0; k < DEFECT_KINDS; k++) {
		const struct finding *f;

		m.run.defects = 0;
		fault_defect(&m, TOOL_MEMCHECK, (enum wire_defect)k);
		f = judge();
		assert_non_null(f);
		assert_true(strlen(f->title) > 10 && strlen(f->advice) > 20);
		assert_true(strlen(f->bad_code) > 4);
		assert_true(strlen(f->good_code) > 4);
		assert_string_not_equal(f->bad_code, f->good_code);
		assert_true(f->evidences > 0);
	}
}

/* Names as compilers print them. */
TEST_WITH(test_names, setup, teardown)
{
	static const struct {
		const char *kernel, *where;
	} rows[] = {
		{ "k", "k" }, { "k(int *)", "k" },
		{ "void a::b<(int)4>(float4 *, int)", "b" },
		{ "(anonymous namespace)::k(int)",
		  "(anonymous namespace)::k(int)" },
		{ "void f::operator()<int>(int) const",
		  "void f::operator()<int>(int) const" },
		{ "<", "<" }, { "a::", "a::" },
	};
	struct defect *d = fault_defect(&m, TOOL_SYNCCHECK, DEFECT_DIVERGENT);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		d->kernel = d->function = rows[i].kernel;
		assert_string_equal(judge()->where, rows[i].where);
	}
}
