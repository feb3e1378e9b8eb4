/*
 * Names for addresses: of a program that prints where its code is
 * (symbol_target.c), with debug information, without, and with it in another
 * file; and paths that a target should not have named.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "base/error.h"
#include "capture/capture.h"
#include "capture/own_records.h"
#include "capture/frame_file.h"
#include "capture/symbol.h"
#include "model/model.h"
#include "unit/test.h"
#include "wire/le.h"
#include "wire/record.h"

#define STREAM 77u

struct shown {		/* a FRAME */
	uint64_t address, process;
	uint32_t line, flags, depth;
	char function[64], file[256];
};

/* What the program printed, and what was looked up. */
static struct {
	char directory[64];
	uint64_t start, end, offset;
	uint64_t frame[64];
	size_t frames;
	struct { char name[32]; uint32_t line; } line[16];
	size_t lines;
	struct shown shown[256];
	size_t showns;
} t;

static void
shell(const char *fmt, const char *a, const char *b)
{
	char command[2048];

	snprintf(command, sizeof(command), fmt, a, b);
	fflush(NULL);
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

/* Runs ${path} and reads where its code is. */
static void
run_target(const char *path)
{
	unsigned long a, b, c;
	char line[256], name[32];
	FILE *f = popen(path, "r");
	unsigned n;

	assert_non_null(f);
	t.frames = t.lines = 0;
	t.end = 0;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "map %lx %lx %lx", &a, &b, &c) == 3) {
			t.start = a;
			t.end = b;
			t.offset = c;
		} else if (sscanf(line, "frame %lx", &a) == 1) {
			t.frame[t.frames++ % 64] = a;
		} else if (sscanf(line, "line %31s %u", name, &n) == 2) {
			snprintf(t.line[t.lines].name, 32, "%s", name);
			t.line[t.lines++ % 16].line = n;
		}
	assert_int_equal(pclose(f), 0);
	assert_true(t.end > t.start && t.frames >= 4 && t.lines == 5);
}

static uint32_t
line_of(const char *name)
{
	size_t i;

	for (i = 0; i < t.lines; i++)
		if (strcmp(t.line[i].name, name) == 0)
			return t.line[i].line;
	fail_msg("no line of %s", name);
	return 0;
}

static size_t
build_id_of(const char *path, uint8_t *out)
{
	FILE *f = fopen(path, "re");
	const void *id;
	ssize_t n;
	Elf *elf;

	assert_non_null(f);
	elf_version(EV_CURRENT);
	assert_non_null(elf = elf_begin(fileno(f), ELF_C_READ, NULL));
	n = dwelf_elf_gnu_build_id(elf, &id);
	if (n > 0)
		memcpy(out, id, (size_t)n);
	elf_end(elf);
	fclose(f);
	return n > 0 ? (size_t)n : 0;
}

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

/* Feeds the record to the symbols and, if there is one, to the model. */
static void
say(struct symbols **y, struct model *m, uint64_t *sequence,
    const struct record *r)
{

	assert_int_equal(symbols_note(y, STREAM, r), 0);
	if (m != NULL)
		assert_int_equal(model_feed(m, STREAM, (*sequence)++, r), 0);
}

/* The records of a target: its mapping at ${path}, and its stack. */
static struct symbols *
told(const char *path, const uint8_t *id, size_t len, uint64_t start_ns,
    struct model *m)
{
	struct record hello = { .type = RECORD_HELLO },
	    map = { .type = RECORD_MAPPING }, site = { .type = RECORD_SITE };
	uint8_t frames[512];
	struct symbols *y = NULL;
	uint64_t sequence = 0;
	size_t i;

	hello.u.HELLO.protocol = WIRE_PROTOCOL;
	hello.u.HELLO.start_ns = start_ns;
	hello.u.HELLO.now_ns = now_ns();
	hello.u.HELLO.run = wire_str_of("0123456789abcdef0123456789abcdef");
	say(&y, m, &sequence, &hello);
	map.u.MAPPING.id = 1;
	map.u.MAPPING.start = t.start;
	map.u.MAPPING.end = t.end;
	map.u.MAPPING.offset = t.offset;
	map.u.MAPPING.path = wire_str_of(path);
	map.u.MAPPING.build_id = (struct wire_blob){ id, (uint32_t)len };
	say(&y, m, &sequence, &map);
	for (i = 0; i < t.frames; i++)
		le64_put(frames + 8 * i, t.frame[i]);
	site.u.SITE.kind = CALL_DEVICE_SYNC;
	site.u.SITE.count = 3;
	site.u.SITE.frames = (struct wire_blob){ frames,
	    (uint32_t)(8 * t.frames) };
	say(&y, m, &sequence, &site);
	return y;
}

static void
show(const struct record_FRAME *r)
{
	struct shown *s = &t.shown[t.showns++];

	assert_in_range(t.showns, 1, 256);
	s->address = r->address;
	s->process = r->process;
	s->line = r->line;
	s->flags = r->flags;
	s->depth = r->depth;
	snprintf(s->function, 64, "%.*s", (int)r->function.len, r->function.p);
	snprintf(s->file, 256, "%.*s", (int)r->file.len, r->file.p);
}

/* Looks up, and reads back from a capture what was written. */
static void
look_up(struct symbols *y, struct model *m)
{
	struct error e = ERROR_INIT;
	struct capture_writer *w;
	struct frame_header h;
	char path[128];
	struct frame_file s;
	struct record r;
	const uint8_t *p;
	uint64_t at;
	size_t len, pos;

	t.showns = 0;
	snprintf(path, sizeof(path), "%s/capture", t.directory);
	unlink(path);
	assert_non_null(w = capture_writer_open(path, &e));
	assert_int_equal(symbols_add(y, m, w, NULL, &e), 0);
	capture_writer_close(w);
	symbols_free(y);
	assert_int_equal(frame_file_open_path(&s, path, &e), 0);
	while (frame_file_next(&s, &h, &at) > 0) {
		assert_non_null(p = frame_file_decode(&s, &h, UINT32_MAX, &len));
		for (pos = 0; record_next(p, len, &pos, &r) > 0;)
			if (r.type == RECORD_FRAME)
				show(&r.u.FRAME);
	}
	frame_file_close(&s);
}

static const struct shown *
find(uint64_t address, uint32_t depth)
{
	size_t i;

	for (i = 0; i < t.showns; i++)
		if (t.shown[i].address == address && t.shown[i].depth == depth)
			return &t.shown[i];
	return NULL;
}

static void
is_at(uint64_t address, uint32_t depth, const char *function, bool lines)
{
	const struct shown *s = find(address, depth);

	if (s == NULL)
		fail_msg("nothing about %s", function);
	assert_string_equal(s->function, function);
	assert_int_equal(s->process, STREAM);
	assert_int_equal(s->flags, 0);
	if (!lines) {
		assert_string_equal(s->file, "");
		assert_int_equal(s->line, 0);
		return;
	}
	assert_int_equal(s->line, line_of(function));
	assert_non_null(strstr(s->file, "/unit/symbol_target.c"));
	assert_int_equal(s->file[0], '/');
}

/* The whole call chain, with its inlined calls. */
static void
has_lines(void)
{

	is_at(t.frame[0], 0, "inlined_inner", true);
	is_at(t.frame[0], 1, "inlined_outer", true);
	is_at(t.frame[0], 2, "middle_static", true);
	assert_null(find(t.frame[0], 3));
	is_at(t.frame[1], 0, "exported_function", true);
	assert_null(find(t.frame[1], 1));
	is_at(t.frame[2], 0, "main", true);
}

TEST(debug_information)
{
	uint8_t id[64];
	size_t len = build_id_of(SYMBOL_TARGET, id);

	run_target(SYMBOL_TARGET);
	look_up(told(SYMBOL_TARGET, id, len, now_ns(), NULL), NULL);
	has_lines();
}

/* Debug information in separate files. */
TEST(split_debug_information)
{
	uint8_t id[64];
	size_t len = build_id_of(SYMBOL_TARGET_SPLIT, id);

	run_target(SYMBOL_TARGET_SPLIT);
	look_up(told(SYMBOL_TARGET_SPLIT, id, len, now_ns(), NULL), NULL);
	has_lines();
}

TEST(reaches_the_model)
{
	struct model *m = model_new();
	uint8_t id[64];
	size_t len = build_id_of(SYMBOL_TARGET, id);
	const struct run *run;
	const struct site *site;

	assert_non_null(m);
	run_target(SYMBOL_TARGET);
	look_up(told(SYMBOL_TARGET, id, len, now_ns(), m), m);
	assert_non_null(run = model_settle(m, true));
	assert_int_equal(run->sites, 1);
	site = run->site;
	assert_int_equal(site->call, CALL_DEVICE_SYNC);
	assert_int_equal(site->count, 3);
	assert_true(site->frames >= 5);
	assert_string_equal(site->frame[0].function, "inlined_inner");
	assert_true(site->frame[0].inlined);
	assert_int_equal(site->frame[0].line, line_of("inlined_inner"));
	assert_string_equal(site->frame[2].function, "middle_static");
	assert_false(site->frame[2].inlined);
	assert_string_equal(site->frame[3].function, "exported_function");
	model_free(m);
}

static const char *
made(const char *name)
{
	static char path[2][128];
	static int turn;

	turn ^= 1;
	snprintf(path[turn], sizeof(path[0]), "%s/%s", t.directory, name);
	return path[turn];
}

TEST(symbols_only)
{
	const char *path = made("no-debug");
	uint8_t id[64];
	size_t len;

	shell("objcopy --strip-debug '%s' '%s'", SYMBOL_TARGET, path);
	len = build_id_of(path, id);
	run_target(path);
	look_up(told(path, id, len, now_ns(), NULL), NULL);
	is_at(t.frame[0], 0, "middle_static", false);
	is_at(t.frame[1], 0, "exported_function", false);
	is_at(t.frame[2], 0, "main", false);
}

TEST(stripped)
{
	const char *path = made("stripped");
	uint8_t id[64];
	size_t len;

	shell("objcopy --strip-all '%s' '%s'", SYMBOL_TARGET, path);
	len = build_id_of(path, id);
	run_target(path);
	look_up(told(path, id, len, now_ns(), NULL), NULL);
	/* The target itself already sent what the dynamic linker knows. */
	assert_int_equal(t.showns, 0);
}

TEST(separate_file)
{
	const char *path = made("apart"), *debug = made("apart.debug");
	uint8_t id[64];
	size_t len = build_id_of(SYMBOL_TARGET, id);

	if (len == 0)
		skip();		/* this linker writes no build ids */
	shell("objcopy --only-keep-debug '%s' '%s'", SYMBOL_TARGET, debug);
	shell("objcopy --strip-all '%s' '%s'", SYMBOL_TARGET, path);
	shell("objcopy --add-gnu-debuglink='%s' '%s'", debug, path);
	run_target(path);
	look_up(told(path, id, len, now_ns(), NULL), NULL);
	has_lines();
	/* Debug information of another build is not used. */
	shell("objcopy --remove-section=.note.gnu.build-id '%s' '%s.2'",
	    debug, debug);
	shell("mv '%s.2' '%s'", debug, debug);
	look_up(told(path, id, len, now_ns(), NULL), NULL);
	assert_int_equal(t.showns, 0);
}

TEST(another_build)
{
	uint8_t id[64];
	size_t len = build_id_of(SYMBOL_TARGET, id);

	run_target(SYMBOL_TARGET);
	if (len > 0) {
		id[0] ^= 1;
		look_up(told(SYMBOL_TARGET, id, len, now_ns(), NULL), NULL);
		assert_int_equal(t.showns, 0);
		look_up(told(SYMBOL_TARGET, id, len - 1, now_ns(), NULL),
		    NULL);
		assert_int_equal(t.showns, 0);
		/* The process had no build id: it was another file. */
		look_up(told(SYMBOL_TARGET, NULL, 0, now_ns(), NULL), NULL);
		assert_int_equal(t.showns, 0);
	}
}

TEST(without_build_id)
{
	const char *path = made("no-id");
	uint64_t before = now_ns() - 60000000000ull;

	shell("objcopy --remove-section=.note.gnu.build-id '%s' '%s'",
	    SYMBOL_TARGET, path);
	run_target(path);
	look_up(told(path, NULL, 0, now_ns() + 1000000000ull, NULL), NULL);
	has_lines();
	/* Written after the process began. */
	look_up(told(path, NULL, 0, before, NULL), NULL);
	assert_int_equal(t.showns, 0);
}

TEST(no_such_files)
{
	const char *fifo = made("fifo"), *text = made("text");
	const char *path[] = { "/dev/zero", "/dev/null", "/proc/self/mem", "/",
	    "/nonexistent/a", "relative", "", "/proc/self/environ", NULL, NULL };
	time_t begin = time(NULL);
	size_t i;
	FILE *f;

	run_target(SYMBOL_TARGET);
	shell("mkfifo '%s'%s", fifo, "");
	assert_non_null(f = fopen(text, "w"));
	fputs("no program\n", f);
	fclose(f);
	path[8] = fifo;
	path[9] = text;
	for (i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		look_up(told(path[i], NULL, 0, now_ns(), NULL), NULL);
		assert_int_equal(t.showns, 0);
	}
	assert_in_range(time(NULL) - begin, 0, 30);
}

/* An ELF file with random offsets in its tables, and a huge one. */
TEST(damaged_files)
{
	const char *path = made("damaged");
	uint8_t *bytes, id[64];
	size_t len = build_id_of(SYMBOL_TARGET, id);
	size_t found = 0;
	uint64_t x = 88172645463325252ull;
	size_t size, i, k;
	FILE *f = fopen(SYMBOL_TARGET, "rb");
	int round;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = (size_t)ftell(f);
	rewind(f);
	assert_non_null(bytes = malloc(size));
	assert_int_equal(fread(bytes, 1, size, f), size);
	fclose(f);
	run_target(SYMBOL_TARGET);
	for (round = 0; round < 60; round++) {
		uint8_t *copy = malloc(size);

		assert_non_null(copy);
		memcpy(copy, bytes, size);
		for (k = 0; k < 1u + (unsigned)round * 4; k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			/* Half of the damage in the section headers. */
			i = k & 1 ? size - 1 - (size_t)(x % 4096) % size :
			    64 + (size_t)(x % (size - 64));
			copy[i] = (uint8_t)(x >> 40);
		}
		assert_non_null(f = fopen(path, "wb"));
		assert_int_equal(fwrite(copy, 1, size, f), size);
		fclose(f);
		free(copy);
		look_up(told(path, id, len, now_ns() + 1000000000ull, NULL),
		    NULL);
		found += t.showns > 0;
	}
	free(bytes);
	/* In some files the damage did not matter. */
	assert_true(found > 0);
	/* A sparse file that would take an hour to read. */
	assert_int_equal(truncate(path, (off_t)17 << 30), 0);
	look_up(told(path, id, len, now_ns() + 1000000000ull, NULL), NULL);
	assert_int_equal(t.showns, 0);
}

/* Entries beyond the limits are left out, without errors. */
TEST(tables_are_bounded)
{
	struct record map = { .type = RECORD_MAPPING },
	    site = { .type = RECORD_SITE };
	struct symbols *y = NULL;
	uint8_t frames[512];
	uint64_t a = 4096;
	size_t i, k;

	map.u.MAPPING.path = wire_str_of("/nonexistent");
	for (i = 0; i < SYMBOL_MAPPINGS + 100; i++) {
		map.u.MAPPING.start = i * 64;
		map.u.MAPPING.end = i * 64 + 64;
		assert_int_equal(symbols_note(&y, STREAM, &map), 0);
	}
	for (i = 0; i < SYMBOL_ADDRESSES / 64 + 100; i++) {
		for (k = 0; k < 64; k++)
			le64_put(frames + 8 * k, a++);
		site.u.SITE.frames = (struct wire_blob){ frames, 512 };
		assert_int_equal(symbols_note(&y, STREAM, &site), 0);
	}
	look_up(y, NULL);
	assert_int_equal(t.showns, 0);
}

/* A finished capture is completed in place, and then has the names. */
TEST(whole_capture)
{
	struct error e = ERROR_INIT;
	struct capture_writer *w;
	struct record_HELLO hello = { .protocol = WIRE_PROTOCOL };
	struct record_MAPPING map = { .id = 1, .start = 0 };
	struct record_SITE site = { .kind = CALL_DEVICE_SYNC, .count = 1 };
	struct model *m = model_new();
	const char *path = made("whole");
	const struct run *run;
	uint8_t id[64], frames[512];
	struct own_records n;
	size_t i;

	run_target(SYMBOL_TARGET);
	assert_non_null(w = capture_writer_open(path, &e));
	assert_int_equal(own_records_open(&n, NULL, w, NULL, &e), 0);
	hello.start_ns = hello.now_ns = now_ns();
	hello.run = wire_str_of("0123456789abcdef0123456789abcdef");
	map.start = t.start;
	map.end = t.end;
	map.offset = t.offset;
	map.path = wire_str_of(SYMBOL_TARGET);
	map.build_id = (struct wire_blob){ id,
	    (uint32_t)build_id_of(SYMBOL_TARGET, id) };
	for (i = 0; i < t.frames; i++)
		le64_put(frames + 8 * i, t.frame[i]);
	site.frames = (struct wire_blob){ frames, (uint32_t)(8 * t.frames) };
	assert_int_equal(OWN_RECORD(HELLO, &n, &hello, &e), 0);
	assert_int_equal(OWN_RECORD(MAPPING, &n, &map, &e), 0);
	assert_int_equal(OWN_RECORD(SITE, &n, &site, &e), 0);
	assert_int_equal(own_records_close(&n, &e), 0);
	capture_writer_close(w);
	assert_int_equal(symbols_complete(path, &e), 0);
	assert_int_equal(capture_load(path, m, NULL, &e), 0);
	assert_non_null(run = model_settle(m, true));
	assert_int_equal(run->sites, 1);
	assert_int_equal(run->processes, 1);
	assert_string_equal(run->site[0].frame[0].function, "inlined_inner");
	assert_int_equal(run->site[0].frame[0].line,
	    line_of("inlined_inner"));
	model_free(m);
}

static int
setup(void **state)
{

	(void)state;
	snprintf(t.directory, sizeof(t.directory), "/tmp/cadv-symbol-XXXXXX");
	return mkdtemp(t.directory) == NULL ? -1 : 0;
}

static int
teardown(void **state)
{

	(void)state;
	shell("rm -r '%s'%s", t.directory, "");
	return 0;
}

TEST_GROUP(setup, teardown)
