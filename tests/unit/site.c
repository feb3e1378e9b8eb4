/*
 * Call stacks of the host: real ones, of this program, taken by a shared object
 * that it calls like the driver.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/site_host.h"
#include "unit/test.h"
#include "wire/record.h"

#define KEEP 4096

/* Copies of the records that were sent. */
struct sent {
	struct record_SITE site[KEEP];
	uint64_t frame[KEEP][64];
	char python[KEEP][512];
	size_t sites;
	struct record_AWAY away[64];
	size_t aways;
	struct { uint64_t address; uint32_t mapping, flags; char name[64]; }
	    name[KEEP];
	size_t names;
	struct { uint64_t start, end, offset; uint32_t id, build; char path[512]; }
	    mapping[256];
	size_t mappings;
};

static struct sent got;
static size_t call_sites;	/* in all tests so far, without launches */

static void
text(char *out, size_t size, struct wire_str s)
{
	snprintf(out, size, "%.*s", (int)s.len, s.p != NULL ? s.p : "");
}

static void
keep(const struct record *r)
{
	const struct record_SITE *s = &r->u.SITE;
	const struct record_FRAME *f = &r->u.FRAME;
	const struct record_MAPPING *m = &r->u.MAPPING;

	if (r->type == RECORD_SITE) {
		assert_true(got.sites < KEEP && s->frames.len <= 512);
		got.site[got.sites] = *s;
		memcpy(got.frame[got.sites], s->frames.p, s->frames.len);
		text(got.python[got.sites++], 512, s->python);
	} else if (r->type == RECORD_AWAY) {
		assert_true(got.aways < 64);
		got.away[got.aways++] = r->u.AWAY;
	} else if (r->type == RECORD_FRAME) {
		assert_true(got.names < KEEP);
		got.name[got.names].address = f->address;
		got.name[got.names].mapping = f->mapping;
		got.name[got.names].flags = f->flags;
		text(got.name[got.names++].name, 64, f->function);
	} else if (r->type == RECORD_MAPPING) {
		assert_true(got.mappings < 256);
		got.mapping[got.mappings].start = m->start;
		got.mapping[got.mappings].end = m->end;
		got.mapping[got.mappings].offset = m->offset;
		got.mapping[got.mappings].id = m->id;
		got.mapping[got.mappings].build = m->build_id.len;
		text(got.mapping[got.mappings++].path, 512, m->path);
	}
}

/* Takes all records that are sent now; names and mappings of earlier ones are kept. */
static void
receive(bool final)
{
	size_t len, pos = 0;
	struct record r;
	uint8_t *p;
	int rc;

	got.sites = got.aways = 0;
	host_send(final);
	p = host_take(&len);
	while ((rc = record_next(p, len, &pos, &r)) > 0)
		keep(&r);
	assert_int_equal(rc, 0);
	free(p);
}

static const char *
name_of(uint64_t address)
{
	size_t i;

	for (i = 0; i < got.names; i++)
		if (got.name[i].address == address)
			return got.name[i].name;
	return NULL;
}

/* --- a program with a call chain ------------------------------------------- */

/* The return addresses of the chain's functions, innermost first. */
static uint64_t expected[3];

#define NOINLINE __attribute__((noinline, noclone))
#define NOTED(i) expected[i] = (uint64_t)(uintptr_t)__builtin_return_address(0)

/* Prevents a tail call. */
static volatile int sink;

static NOINLINE void
chain_inner(struct signature *s)
{
	NOTED(0);
	host_launch(s);
	sink++;
}

static NOINLINE void
chain_middle(struct signature *s)
{
	NOTED(1);
	chain_inner(s);
	sink++;
}

static NOINLINE void
chain_outer(struct signature *s)
{
	NOTED(2);
	chain_middle(s);
	sink++;
}

TEST(launches_have_their_stack)
{
	static struct signature *s;	/* the library keeps it */
	size_t i, at;

	s = host_signature(7);
	for (i = 0; i < 5; i++)
		chain_outer(s);
	receive(false);
	assert_int_equal(got.sites, 0);		/* its signature was not sent yet */
	host_announce(s);
	receive(false);
	assert_int_equal(got.sites, 1);		/* one place, counted */
	assert_int_equal(got.site[0].kind, CALL_LAUNCH);
	assert_int_equal(got.site[0].key, 7);
	assert_int_equal(got.site[0].tid, getpid());
	assert_int_equal(got.site[0].count, 2);	/* only the first two */
	/* The first frame is the program's: the library's own frames are left out. */
	for (at = 0; at < 3; at++)
		if (got.frame[0][at] == expected[0])
			break;
	assert_int_equal(at, 1);
	for (i = 0; i < 3; i++)
		assert_int_equal(got.frame[0][at + i], expected[i]);
	receive(false);
	assert_int_equal(got.sites, 0);		/* sent only once */
	receive(true);
	assert_int_equal(got.sites, 0);		/* nothing to add */
}

static NOINLINE void
here(int call)
{
	host_call(call);
	sink++;
}

static NOINLINE void
there(int call)
{
	host_call(call);
	sink++;
}

/* One call site for each: the compiler cannot make two paths of it. */
static NOINLINE void
both(size_t i)
{
	static volatile size_t last = 21;

	if (i == last)
		receive(false);
	here(CALL_MEMCPY);
	if (i % 4 == 0)
		there(CALL_MEMCPY);
	sink++;
}

TEST(places_are_told_apart_and_counted)
{
	uint64_t n[2] = { 0, 0 };
	size_t i;

	for (i = 1; i < 22; i++)
		both(i);
	assert_int_equal(got.sites, 2);
	call_sites += 2;
	for (i = 0; i < 2; i++) {
		assert_int_equal(got.site[i].kind, CALL_MEMCPY);
		assert_int_equal(got.site[i].key, 0);
		n[i] = got.site[i].count;
	}
	assert_int_equal(n[0], 20);
	assert_int_equal(n[1], 5);
	receive(false);
	assert_int_equal(got.sites, 0);		/* the count has not doubled */
	receive(true);
	assert_int_equal(got.sites, 1);		/* the final count */
	assert_int_equal(got.site[0].count, 21);
}

static NOINLINE int
compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	host_call(CALL_MODULE_LOAD);
	return 0;
}

/* Every address must be in a mapping and have a FRAME; returns whether one is
 * called ${name}. */
static bool
check_frames(const uint64_t *frame, size_t n, const char *name)
{
	bool found = false;
	size_t i, j, inside;

	for (i = 0; i < n; i++) {
		assert_non_null(name_of(frame[i]));
		found |= strncmp(name_of(frame[i]), name, strlen(name)) == 0;
		for (j = 0, inside = 0; j < got.mappings; j++)
			inside += frame[i] - 1 >= got.mapping[j].start &&
			    frame[i] - 1 < got.mapping[j].end;
		assert_int_equal(inside, 1);
	}
	return found;
}

TEST(mappings_and_exported_names)
{
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	uint64_t at = (uint64_t)(uintptr_t)compare;
	size_t i, found = 0;
	int pair[2] = { 1, 2 };
	bool sorter = false;

	assert_true(len > 0);
	exe[len] = '\0';
	qsort(pair, 2, sizeof(pair[0]), compare);
	receive(false);
	assert_in_range(got.sites, 1, 2);	/* a sanitizer sorts twice */
	call_sites += got.sites;
	for (i = 0; i < got.sites; i++)
		sorter |= check_frames(got.frame[i],
		    got.site[i].frames.len / 8, "qsort");
	assert_true(sorter);
	for (i = 0; i < got.mappings; i++) {
		assert_int_equal(got.mapping[i].id, i + 1);
		if (strcmp(got.mapping[i].path, exe) != 0)
			continue;
		found++;
		assert_true(at >= got.mapping[i].start);
		assert_true(at < got.mapping[i].end);
	}
	assert_int_equal(found, 1);
}

/* A stack that is taken stands for the calls since the one before: a loop outweighs the
 * calls before it, of which each had its stack taken. */
TEST(counts_are_of_calls_not_of_stacks)
{
	uint64_t all = 0, most = 0;
	size_t i;

	for (i = 0; i < 60; i++)
		there(CALL_MEMSET_ASYNC);
	for (i = 0; i < 4000; i++)
		here(CALL_MEMSET_ASYNC);
	receive(true);
	call_sites += got.sites;
	assert_int_equal(got.sites, 2);
	for (i = 0; i < 2; i++) {
		all += got.site[i].count;
		most = got.site[i].count > most ? got.site[i].count : most;
	}
	assert_int_equal(all - most, 60);
	assert_in_range(most, 3000, 5000);
}

/* Eight frames: each level calls the next from one of four places. */
static NOINLINE void
fork_road(int call, unsigned way, unsigned left)
{
	if (left == 0) {
		host_call(call);
		return;
	}
	switch (way & 3) {
	case 0:
		fork_road(call, way >> 2, left - 1);
		sink += 2;
		break;
	case 1:
		fork_road(call, way >> 2, left - 1);
		sink += 3;
		break;
	case 2:
		fork_road(call, way >> 2, left - 1);
		sink += 4;
		break;
	default:
		fork_road(call, way >> 2, left - 1);
		sink++;
	}
}

static NOINLINE void
comes_back(uint64_t at)
{

	NOTED(0);
	host_back(CALL_EVENT_SYNC, NULL, at);
	sink++;
}

/* Where the host was away for a millisecond the stack is taken, but counts as no call; a
 * site that only came to be so is sent, too. */
TEST(absences_have_their_stack)
{
	const uint64_t ms = 1000000, t = 1000 * ms;
	const uint64_t when[] = {
		t, t + ms / 2,		/* the first call: nothing is known */
		t + 90 * ms, t + 90 * ms + 20000,	/* busy: the time stays */
		t + 190 * ms + 10000, t + 191 * ms,	/* 0.99 ms */
	};
	size_t i, at = 0;

	for (i = 0; i < sizeof(when) / sizeof(when[0]); i++)
		comes_back(when[i]);
	call_sites++;
	receive(false);
	assert_int_equal(got.aways, 2);
	assert_int_equal(got.away[0].start_ns, t + ms / 2);
	assert_int_equal(got.away[0].end_ns, t + 90 * ms);
	assert_int_equal(got.away[1].start_ns, t + 90 * ms);
	assert_int_equal(got.away[1].total_ns, 100 * ms + 10000);
	assert_int_equal(got.away[1].count, 1);
	for (i = 0; i < got.sites; i++)
		if (got.site[i].number == got.away[0].site)
			at = i;
	assert_true(got.away[0].site > 0);
	assert_int_equal(got.site[at].number, got.away[0].site);
	assert_int_equal(got.site[at].kind, CALL_EVENT_SYNC);
	assert_int_equal(got.site[at].count, 0);
	for (i = 0; i < got.site[at].frames.len / 8; i++)
		if (got.frame[at][i] == expected[0])
			return;
	fail_msg("its caller is not on the stack");
}

TEST(tables_are_bounded)
{
	static const int kind[] = { CALL_MEMSET, CALL_MALLOC, CALL_FREE,
	    CALL_STREAM_SYNC, CALL_EVENT_SYNC };
	size_t per[CALL_COUNT] = { 0 }, i, total = 0;
	unsigned way;

	/* Of the later calls only a sample has its stack taken. */
	for (i = 0; i < 5; i++)
		for (way = 0; way < 1 << 14; way++)
			fork_road(kind[i], way, 8);
	receive(true);
	for (i = 0; i < got.sites; i++)
		per[got.site[i].kind]++;
	for (i = 0; i < 5; i++) {
		assert_in_range(per[kind[i]], 0, 192);
		total += per[kind[i]];
	}
	assert_int_equal(per[CALL_MEMSET], 192);
	assert_int_equal(total + call_sites, 768);
}

TEST(looking_ends)
{
	unsigned long n = 0;
	uint64_t cost;

	while (host_next(CALL_GRAPH_LAUNCH) != UINT64_MAX && n < 10000000) {
		here(CALL_GRAPH_LAUNCH);
		n++;
	}
	/* Less and less often: 64 of 1, 64 of 2, … of 128. */
	assert_in_range(n, 64 * 128, 64 * 512);
	cost = host_cost();
	for (n = 0; n < 1000; n++)
		here(CALL_GRAPH_LAUNCH);
	assert_int_equal(host_cost(), cost);
	assert_true(cost > 0);
}

/* --- Python ----------------------------------------------------------------- */

TEST(python_lines)
{
	static const struct {
		const char *in, *out;
	} row[] = {
		{ "Stack (most recent call first):\n"
		    "  File \"/a/b.py\", line 3 in leaf\n"
		    "  File \"/a/b.py\", line 17 in <module>\n",
		    "/a/b.py\t3\tleaf\n/a/b.py\t17\t<module>\n" },
		{ "  File \"/a \"x\", line 1/b.py\", line 12 in f\n",
		    "/a \"x\", line 1/b.py\t12\tf\n" },
		{ "  File \"<frozen importlib._bootstrap>\", line 1 in g\n",
		    "<frozen importlib._bootstrap>\t1\tg\n" },
		/* Text without a line, or truncated. */
		{ "  File \"/a/b.py\", line ??? in leaf\n", "" },
		{ "  File \"/a/b.py\", line 3 in lea", "" },
		{ "  File \"/a\tb.py\", line 3 in leaf\n", "" },
		{ "  File ???, line 3 in ???\n", "" },
		{ "  File \"\", line 3 in f\n", "" },
		{ "  File \"a\", line 99999999999999999999 in f\n", "" },
		{ "  File \"a\", line 3 in \n", "" },
		{ "  File \"a\", line 3\n", "" },
		{ "  ...\n\n  File \"\n  File \"a\n", "" },
		{ "", "" },
	};
	char buf[512];
	size_t i, n;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(buf, sizeof(buf), "%s", row[i].in);
		n = host_parse(buf, strlen(buf));
		buf[n] = '\0';
		assert_string_equal(buf, row[i].out);
	}
}

/* The frames of an interpreter whose lock is not held, because ctypes releases it. */
TEST(python_runs)
{
	char line[512], out[4096] = "", command[1024];
	size_t used = 0;
	int status;
	FILE *f;

	if (SITE_PRELOAD[0] != '\0' && SITE_PRELOAD[0] != '/')
		skip();		/* this sanitizer cannot be loaded later */
	snprintf(command, sizeof(command), "ASAN_OPTIONS=detect_leaks=0 "
	    "LD_PRELOAD='%s' python3 '%s/unit/site.py' '%s' 2>&1",
	    SITE_PRELOAD, TEST_DIR, SITE_LIBRARY);
	fflush(NULL);
	assert_non_null(f = popen(command, "r"));
	while (fgets(line, sizeof(line), f) != NULL &&
	    used + strlen(line) < sizeof(out)) {
		memcpy(out + used, line, strlen(line) + 1);
		used += strlen(line);
	}
	status = pclose(f);
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 ||
	    WEXITSTATUS(status) == 127)) {
		printf("left out: %s", out[0] != '\0' ? out : "no python3\n");
		skip();
	}
	if (status != 0)
		fail_msg("%s", out);
}

TEST(without_python)
{
	char out[64];

	assert_int_equal(host_python(out, sizeof(out)), 0);
}

static int
set_up(void **state)
{
	(void)state;
	host_begin(LEVEL_COUNTERS);
	return 0;
}

TEST_GROUP(set_up, NULL)
