/*
 * The logs of compute-sanitizer's tools, from several versions: each report with its
 * kind, its place in the kernel and on the host. The logs are also the fuzzer's seeds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sanitizer/log.h"
#include "unit/test.h"

static char text[1 << 20];
static struct sanitizer_log l;

static void
read_log(const char *name)
{
	char path[512];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), TEST_DIR "/fuzz/seeds/fuzz_sanitizer/%s",
	    name);
	f = fopen(path, "re");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	assert_int_equal(sanitizer_read(&l, text, n), 0);
}

static int
release(void **state)
{
	(void)state;
	sanitizer_release(&l);
	return 0;
}

static void
is(struct wire_str got, const char *want)
{
	if (got.len != strlen(want) || (got.len > 0 &&
	    memcmp(got.p, want, got.len) != 0))
		fail_msg("\"%.*s\", not \"%s\"", (int)got.len, got.p, want);
}

static void
is_at(const struct sanitizer_place *p, const char *function, const char *file,
    uint32_t line)
{
	is(p->function, function);
	is(p->file, file);
	assert_int_equal(p->line, line);
}

static void
is_thread(const struct sanitizer_report *r, uint32_t thread, uint32_t block)
{
	assert_true(r->flags & DEFECT_THREAD);
	assert_int_equal(r->thread[0], thread);
	assert_int_equal(r->block[0], block);
}

TEST_WITH(test_memcheck_2025, NULL, release)
{
	const struct sanitizer_report *r;

	read_log("memcheck-2025.log");
	assert_int_equal(l.reports, 4);
	assert_true(l.summary && l.program_failed && !l.no_gpu);
	assert_int_equal(l.errors, 4);
	assert_int_equal(l.unreported, 0);
	assert_int_equal(l.trouble.len, 0);

	r = &l.report[0];
	assert_int_equal(r->kind, DEFECT_BOUNDS);
	assert_int_equal(r->severity, SEVERITY_ERROR);
	is(r->text, "Invalid __global__ read of size 4 bytes");
	assert_int_equal(r->bytes, 4);
	assert_int_equal(r->count, 1);
	is_at(&r->at, "shift_rows(const float *, float *, int)", "rows.cu", 41);
	is(r->kernel.function, "shift_rows(const float *, float *, int)");
	assert_int_equal(r->kernel.file.len, 0);
	is_thread(r, 255, 1023);
	assert_true(r->flags & DEFECT_ADDRESS);
	assert_true(r->address == 0x7f241b0001e0);
	assert_string_equal(r->detail, "Access at 0x7f241b0001e0 is out of "
	    "bounds, and is 1 bytes after the nearest allocation at "
	    "0x7f241b000000 of size 480 bytes");
	is_at(&r->site, "shift_all(float *, int)", "rows.cu", 88);
	is(r->site.object, "rows");

	r = &l.report[1];
	assert_int_equal(r->kind, DEFECT_MISALIGNED);
	assert_int_equal(r->bytes, 16);
	is_at(&r->at, "void store<(int)4>(float4 *, int)", "tile.cuh", 12);
	is_at(&r->kernel, "fill_tile(float4 *)", "tile.cu", 57);
	assert_int_equal(r->thread[1], 7);
	assert_int_equal(r->block[2], 1);
	is_at(&r->site, "main", "", 0);
	is(r->site.object, "tile");

	r = &l.report[2];
	assert_int_equal(r->kind, DEFECT_API);
	assert_false(r->flags & DEFECT_THREAD);
	is(r->text, "Program hit cudaErrorLaunchFailure (error 719) due to "
	    "\"unspecified launch failure\" on CUDA API call to "
	    "cudaDeviceSynchronize");
	is_at(&r->site, "main", "rows.cu", 121);

	r = &l.report[3];
	assert_int_equal(r->kind, DEFECT_LEAK);
	assert_int_equal(r->bytes, 1024);
	assert_true(r->address == 0x7879c0800000);
	is(r->site.function, "make_buffer(unsigned long)");
}

TEST_WITH(test_memcheck_2023, NULL, release)
{
	const struct sanitizer_report *r;

	read_log("memcheck-2023.log");
	assert_int_equal(l.reports, 3);
	assert_int_equal(l.errors, 132);
	assert_int_equal(l.unreported, 32);
	assert_false(l.program_failed);

	r = &l.report[0];
	assert_int_equal(r->kind, DEFECT_BOUNDS);
	is_at(&r->at, "count_words(unsigned long long *, int)",
	    "/src/words.cu", 9);
	/* The frames of the driver, the runtime, and nvcc's own two functions
	 * are skipped. */
	is(r->site.function, "count_all(char const*)");
	is(r->site.object, "/src/./words");

	r = &l.report[1];
	assert_int_equal(r->kind, DEFECT_HEAP);
	is(r->text, "Malloc/Free error encountered : Double free");
	assert_int_equal(r->at.function.len, 0);
	assert_true(r->address == 0x400aff920);

	r = &l.report[2];
	assert_int_equal(r->kind, DEFECT_BOUNDS);
	assert_int_equal(r->bytes, 400);
	assert_true(r->address == 0x7f7fcdc01200);
	assert_non_null(strstr(r->detail, "by cudaMemcpy source"));
	is(r->site.function, "fetch(float*)");
}

/* The caller of main is no place in the program: an unnamed frame of the
 * program is better. */
TEST_WITH(test_stripped, NULL, release)
{
	const struct sanitizer_report *r;

	read_log("memcheck-stripped.log");
	assert_int_equal(l.reports, 1);
	r = &l.report[0];
	is_at(&r->at, "void mix<(bool)0>(const unsigned int *, unsigned long)",
	    "/src/mix.cu", 46);
	is_thread(r, 252, 4095);
	is(r->site.function, "");
	is(r->site.object, "/src/mix");
}

TEST_WITH(test_memcheck_2021, NULL, release)
{
	const struct sanitizer_report *r;

	read_log("memcheck-2021.log");
	assert_int_equal(l.reports, 3);
	assert_int_equal(l.errors, 3);
	r = &l.report[0];
	assert_int_equal(r->kind, DEFECT_BOUNDS);
	assert_int_equal(r->bytes, 4);
	is_at(&r->at, "sum(int*, int*)", "/src/sum.cu", 14);
	is_at(&r->kernel, "sum(int*, int*)", "/src/sum.cu", 20);
	is(r->site.function, "run_sum");
	is(r->site.object, "./sum");

	/* An unknown first line, but with a place. */
	r = &l.report[1];
	assert_int_equal(r->kind, DEFECT_UNKNOWN);
	is(r->text, "Out-of-range Shared or Local Address");
	is_at(&r->at, "warp_sum(int*)", "", 0);
	is_thread(r, 0, 3);

	assert_int_equal(l.report[2].kind, DEFECT_FAULT);
	assert_string_equal(l.report[2].detail,
	    "during atomic access to address 0x20be00000");
}

TEST_WITH(test_racecheck, NULL, release)
{
	const struct sanitizer_report *r;

	read_log("racecheck-2025.log");
	assert_int_equal(l.reports, 3);
	assert_int_equal(l.errors, 2);
	assert_int_equal(l.warnings, 1);
	r = &l.report[0];
	assert_int_equal(r->kind, DEFECT_RACE);
	assert_int_equal(r->severity, SEVERITY_ERROR);
	is(r->text, "Race reported between Write access");
	is_at(&r->at, "reverse(float *, int)", "reverse.cu", 41);
	is_at(&r->partner, "reverse(float *, int)", "reverse.cu", 51);
	assert_int_equal(r->count, 512);
	r = &l.report[1];
	assert_int_equal(r->severity, SEVERITY_WARNING);
	is_at(&r->at, "scan<int>::step(int) const", "/src/scan.cuh", 249);
	is_at(&r->partner, "scan<int>::step(int) const", "/src/scan.cuh", 349);
	r = &l.report[2];
	assert_int_equal(r->kind, DEFECT_RACE);
	is_at(&r->at, "remote(int *, int)", "cluster.cu", 10);
}

TEST_WITH(test_hazards, NULL, release)
{
	const struct sanitizer_report *r;

	read_log("racecheck-hazard.log");
	assert_int_equal(l.reports, 2);
	r = &l.report[0];
	assert_int_equal(r->kind, DEFECT_RACE);
	assert_int_equal(r->severity, SEVERITY_WARNING);
	is(r->text, "Potential RAW hazard");
	assert_true(r->address == 0x8c);
	is_at(&r->at, "sums(int *, int *)", "sums.cu", 44);
	is_at(&r->partner, "sums(int *, int *)", "sums.cu", 56);
	is_thread(r, 35, 2);
	r = &l.report[1];
	is(r->text, "Potential WAR hazard");
	assert_int_equal(r->severity, SEVERITY_WARNING);
	is_at(&r->at, "test(int*, int*)", "./race.cu", 4);
	is_at(&r->partner, "test(int*, int*)", "./race.cu", 5);
	is_thread(r, 31, 0);
}

TEST_WITH(test_initcheck, NULL, release)
{
	const struct sanitizer_report *r;

	read_log("initcheck-2024.log");
	assert_int_equal(l.reports, 2);
	r = &l.report[0];
	assert_int_equal(r->kind, DEFECT_UNINITIALISED);
	is_at(&r->at, "add_index(int *)", "/src/add.cu", 41);
	is_thread(r, 31, 1);
	is(r->site.function, "main");
	/* The host copies memory that was never written. */
	r = &l.report[1];
	assert_int_equal(r->kind, DEFECT_UNINITIALISED);
	assert_int_equal(r->bytes, 3840);
	is(r->site.function, "io::(anonymous namespace)::gather(float *)");
}

TEST_WITH(test_synccheck, NULL, release)
{
	const struct sanitizer_report *r;

	read_log("synccheck-2025.log");
	assert_int_equal(l.reports, 3);
	r = &l.report[0];
	assert_int_equal(r->kind, DEFECT_DIVERGENT);
	is(r->text, "Barrier error detected. Divergent thread(s) in block");
	is_at(&r->at, "outline_sync()", "tiles.cu", 42);
	is_at(&r->kernel, "load_tiles(int *, int *)", "tiles.cu", 60);
	r = &l.report[1];
	assert_int_equal(r->kind, DEFECT_BARRIER);
	is_at(&r->at, "__cuda_sm70_warpsync", "", 0);
	is_at(&r->kernel, "half_warp(int *)", "/src/half.cu", 48);
	assert_int_equal(l.report[2].kind, DEFECT_BARRIER);
	assert_string_equal(l.report[2].detail,
	    "Barrier is located at shared address 0x30408");
}

TEST_WITH(test_endings, NULL, release)
{
	read_log("clean.log");
	assert_true(l.summary);
	assert_int_equal(l.reports + l.errors + l.trouble.len, 0);
	release(NULL);
	read_log("no-gpu.log");
	assert_true(l.no_gpu && !l.summary);
	assert_int_equal(l.reports, 0);
	release(NULL);
	read_log("timed-out.log");
	assert_false(l.no_gpu || l.summary);
	is(l.trouble, "Error: No attachable process found. compute-sanitizer "
	    "timed-out.");
	release(NULL);
	read_log("internal.log");
	assert_true(l.summary && l.program_failed && l.trouble.len > 40);
	assert_int_equal(l.reports, 0);
}

/* Every truncation of every log, and names that a program could have made. */
TEST_WITH(test_hostile, NULL, release)
{
	static const char *const logs[] = {
		"memcheck-2025.log", "memcheck-2021.log",
		"racecheck-hazard.log", "synccheck-2025.log",
	};
	static const char odd[] =
	    "========= Invalid __global__ read of size 99,,9x,\n"
	    "=========     at 0xzz in :7:\n"
	    "=========     by thread (1,2) in block (99999999999,0,0)\n"
	    "=========     Address 0xfffffffffffffffffffff is misaligned\n"
	    "=========     Device Frame: ( : 0x1)\n"
	    "=========     Host Frame:/ ([0x\n"
	    "========= Race reported between X access at \n"
	    "=========     and Y access at  [99999999999999999999999 hazards]\n"
	    "=========     and Y access at  [99999999999999999999999 hazards]\n"
	    "========= Deadlock detected at \n"
	    "========= Leaked \n========= =========\n==========at at\n";
	size_t n, i, k;

	for (i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		read_log(logs[i]);
		n = strlen(text);
		for (k = 0; k < n; k++) {
			char *cut = malloc(k + 1);

			release(NULL);
			memcpy(cut, text, k);
			assert_int_equal(sanitizer_read(&l, cut, k), 0);
			free(cut);
		}
		release(NULL);
		memset(text, 0, n);
	}
	assert_int_equal(sanitizer_read(&l, odd, sizeof(odd) - 1), 0);
	assert_int_equal(l.reports, 4);
	assert_int_equal(l.report[0].bytes, 99);
	assert_false(l.report[0].flags & DEFECT_THREAD);
	assert_true(l.report[1].count == UINT64_MAX);
}

/* An endless log uses bounded memory. */
TEST_WITH(test_many, NULL, release)
{
	static const char one[] = "========= Leaked 8 bytes at 0x10\n";
	size_t n = sizeof(one) - 1, i;
	char *many = malloc(n * 5000);

	assert_non_null(many);
	for (i = 0; i < 5000; i++)
		memcpy(many + i * n, one, n);
	assert_int_equal(sanitizer_read(&l, many, n * 5000), 0);
	assert_int_equal(l.reports, SANITIZER_REPORTS);
	assert_int_equal(l.dropped, 5000 - SANITIZER_REPORTS);
	free(many);
}
