/* Copies that are made again: when their bytes are compared, what is told of them, and
 * what memory is left alone. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call_site.h"
#include "diag.h"
#include "emit.h"
#include "gate.h"
#include "hold.h"
#include "inject.h"
#include "recopy.h"
#include "unit/test.h"
#include "wire/frame.h"

#define PAGE 4096u
#define MIB (1u << 20)
#define DEVICE 0x7e0000000000ull

struct inject inject;

static bool capturing;
static uint64_t late, slow;	/* ns that the clock is ahead, and gains at each look */

/* The clock gains a microsecond at each look: the machine may be busy. */
uint64_t
inject_now(void)
{
	static uint64_t now = 1700000000000000000;

	late += slow;
	now += 1000;
	return now + late;
}

uint32_t
inject_tid(void)
{
	return 1;
}

void
diag_report(enum wire_diag code, enum wire_severity severity, uint32_t error,
    const char *where, const char *text)
{

	(void)code, (void)severity, (void)error, (void)where, (void)text;
}

bool
gate_capturing(void)
{
	return capturing;
}

uint32_t
call_site_here(uint16_t call)
{

	return call;
}

/* What was sent since the last call. */
struct sent {
	unsigned compared, charged;
	struct record_COMPARED last;
	uint64_t pages, changed;
	/* Of comparisons by size: records, those of pages, pages that differed. */
	unsigned told, alike, differed;
	struct record_COMPARED size;	/* the last one */
	struct record_COMPARED looked;	/* the last one of pages */
};

static struct sent
sent(void)
{
	struct emit_frame *f = emit_take(1), *next;
	struct sent all = { 0 };
	struct record r;
	size_t pos;

	for (; f != NULL; f = next) {
		next = f->next;
		for (pos = 0; record_next(f->data + FRAME_HEADER_SIZE, f->size -
		    FRAME_HEADER_SIZE, &pos, &r) > 0;) {
			all.charged += r.type == RECORD_OVERHEAD;
			if (r.type != RECORD_COMPARED)
				continue;
			if (r.u.COMPARED.sampled > 0) {
				all.told++;
				all.size = r.u.COMPARED;
				if (r.u.COMPARED.pages > 0)
					all.looked = r.u.COMPARED;
				all.alike += r.u.COMPARED.pages > 0;
				all.differed += r.u.COMPARED.changed;
				continue;
			}
			all.compared++;
			all.last = r.u.COMPARED;
			all.pages += r.u.COMPARED.pages;
			all.changed += r.u.COMPARED.changed;
		}
		emit_release(f);
	}
	return all;
}

static void
copy(const void *from, uint64_t to, uint64_t bytes)
{
	static uint32_t correlation;
	struct recopy c = { (uintptr_t)from, to, bytes };

	recopy_enter(++correlation, CALL_MEMCPY_ASYNC, &c);
}

/* Zeroed memory of its own mapping. */
static char *
map(size_t bytes, int protection)
{
	void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	    0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static int
start(void **state)
{

	(void)state;
	emit_init(1);
	inject.profiles = true;
	inject.budget = 1;
	inject.begin_ns = inject_now();
	inject.max_stall_ns = 10000000000ull;
	return 0;
}

/* Runs ${f} in a process of its own: there are tables for one process. */
static void
alone(void (*f)(void))
{
	pid_t child;
	int status;

	fflush(NULL);
	if ((child = fork()) == 0) {
		f();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* In a child, where an assertion of the framework would not end the test. */
#define CHECK(what) do {						\
	if (!(what)) {							\
		fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #what); \
		_exit(1);						\
	}								\
} while (0)

/* The same bytes each time: four comparisons, then no more. */
static void
the_same(void)
{
	char *p = map(MIB, PROT_READ | PROT_WRITE);
	struct sent s;
	int i;

	copy(p, DEVICE, MIB);
	copy(p, DEVICE, MIB);
	CHECK(sent().compared == 0);
	copy(p, DEVICE, MIB);
	s = sent();
	CHECK(s.compared == 1 && s.charged == 1);
	CHECK(s.last.src_address == (uintptr_t)p);
	CHECK(s.last.dst_address == DEVICE && s.last.bytes == MIB);
	CHECK(s.last.compared == MIB && s.last.pages == MIB / PAGE);
	CHECK(s.last.changed == 0 && s.last.apart == 1);
	CHECK(s.last.zeros == s.last.pages && s.last.site == 0);
	CHECK(s.last.correlation == 3);
	CHECK(recopy_spent() > 0);
	for (i = 0; i < 100; i++)
		copy(p, DEVICE, MIB);
	s = sent();
	CHECK(s.told == 0);
	CHECK(s.compared == RECOPY_COMPARED - 1 && s.changed == 0);
	CHECK(s.charged == s.compared);
}

TEST(the_same_bytes)
{
	alone(the_same);
}

/* A page changes before each copy: of copies that follow each other that page differs,
 * and those further apart are not told of. */
static void
a_page(void)
{
	char *p = map(MIB, PROT_READ | PROT_WRITE);
	struct sent s;
	int i;

	for (i = 0; i < 100; i++) {
		p[i * PAGE % MIB]++;
		copy(p, DEVICE, MIB);
	}
	s = sent();
	CHECK(s.compared == 4);
	CHECK(s.pages == s.compared * (MIB / PAGE));
	CHECK(s.changed == s.compared);
	CHECK(s.last.apart == 1);
}

TEST(a_page_changes)
{
	alone(a_page);
}

/* Of a large range pages all over it are compared, its last bytes among those of a
 * small one. */
static void
large(void)
{
	size_t bytes = 64 * MIB, odd = RECOPY_LEAST + 100;
	char *p = map(bytes, PROT_READ | PROT_WRITE);
	struct sent s;
	int i;

	for (i = 0; i < 3; i++) {
		memset(p + bytes / 2, i + 1, bytes / 2);
		copy(p, DEVICE, bytes);
	}
	s = sent();
	CHECK(s.compared == 1 && s.pages == RECOPY_PAGES);
	CHECK(s.last.compared == RECOPY_PAGES * PAGE);
	CHECK(s.changed == RECOPY_PAGES / 2);
	for (i = 0; i < 3; i++) {
		p[odd - 1]++;
		copy(p, DEVICE, odd);
	}
	s = sent();
	CHECK(s.compared == 1 && s.last.compared == odd);
	CHECK(s.pages == RECOPY_LEAST / PAGE + 1 && s.changed == 1);
}

TEST(pages_of_a_large_range)
{
	alone(large);
}

/* Another source, destination or size is another copy; small ones are not compared. */
static void
another(void)
{
	char *p = map(4 * MIB, PROT_READ | PROT_WRITE);
	int i;

	for (i = 0; i < 20; i++) {
		copy(p + i * PAGE, DEVICE, MIB);
		copy(p, DEVICE + MIB * (1 + (uint64_t)i), MIB);
		copy(p, DEVICE, RECOPY_LEAST + (uint64_t)i);
		copy(p, DEVICE, RECOPY_LEAST - 1);
	}
	CHECK(sent().compared == 0);
	for (i = 0; i < 20 * (RECOPY_RANGES + 4); i++)
		copy(p, DEVICE + MIB * (uint64_t)(100 + i % (RECOPY_RANGES + 4)),
		    MIB);
	CHECK(sent().compared == RECOPY_RANGES * 4);
}

TEST(other_copies)
{
	alone(another);
}

/* A bad pointer, memory that nobody may read, a device's: none of it is read. Memory that
 * goes while it is known is no fault. */
static void
bad(void)
{
	char *p = map(MIB, PROT_READ | PROT_WRITE), *none = map(MIB, PROT_NONE);
	FILE *zero = fopen("/dev/zero", "r+");
	void *device = zero == NULL ? MAP_FAILED : mmap(NULL, MIB, PROT_READ |
	    PROT_WRITE, MAP_SHARED, fileno(zero), 0);
	int i;

	CHECK(device != MAP_FAILED);
	CHECK(munmap(p + MIB / 2, PAGE) == 0);
	for (i = 0; i < 5; i++) {
		copy(NULL, DEVICE, MIB);
		copy((void *)-(uintptr_t)PAGE, DEVICE, MIB);
		copy(none, DEVICE, MIB);
		copy(p, DEVICE, MIB);
	}
	CHECK(sent().compared == 0);
	for (i = 0; i < 3; i++)
		copy(device, DEVICE, MIB);	/* shared memory */
	CHECK(sent().compared == 1);
	p = map(MIB, PROT_READ | PROT_WRITE);
	for (i = 0; i < 20; i++) {
		copy(p, DEVICE, MIB);
		if (i == 2)
			munmap(p, MIB);
	}
	CHECK(sent().compared == 1);
}

TEST(memory_that_cannot_be_read)
{
	alone(bad);
}

/* Nothing at level trace, without a budget, where it would hold for too long, or while a
 * stream is captured. */
static void
unwanted(void)
{
	char *p = map(8 * MIB, PROT_READ | PROT_WRITE);
	uint64_t stall = inject.max_stall_ns;
	int i;

	for (i = 0; i < 40; i++) {
		inject.profiles = i >= 10;
		inject.budget = i >= 20;
		inject.max_stall_ns = i >= 30 ? stall : 1000;
		capturing = i >= 30;
		copy(p, DEVICE, 8 * MIB);
	}
	CHECK(recopy_spent() == 0);
	capturing = false;
	for (i = 0; i < 2; i++)
		copy(p, DEVICE, 8 * MIB);
	CHECK(sent().compared == 1);
}

/* Memory that is slow to read: that shows soon, long before the hold is over. */
static void
slow_memory(void)
{
	char *p = map(8 * MIB, PROT_READ | PROT_WRITE);
	int i;

	inject.max_stall_ns = 100000000;
	slow = 1000000;
	for (i = 0; i < 3; i++)
		copy(p, DEVICE, 8 * MIB);
	CHECK(sent().compared == 0);
	CHECK(recopy_spent() < 60000000);
	slow = 0;
	for (i = 0; i < 20; i++)
		copy(p, DEVICE, 8 * MIB);
	CHECK(sent().compared > 0);
}

TEST(memory_that_is_slow)
{
	alone(slow_memory);
}

TEST(where_it_is_not_wanted)
{
	alone(unwanted);
}

/* Copy number ${i} of a size, from one of 16 buffers, none beside another, to one of five. */
static char *
buffer_of(unsigned i)
{
	static char *all;

	if (all == NULL)
		all = map(32 * MIB, PROT_READ | PROT_WRITE);
	return all + i * 7 % 16 * 2 * MIB;
}

static void
elsewhere(unsigned i)
{

	copy(buffer_of(i), DEVICE + (uint64_t)(i % 5) * 4 * MIB, MIB);
}

/* Zeros from other addresses each time. */
static void
the_same_content(void)
{
	struct sent s;
	unsigned i;

	for (i = 0; i < 8; i++)
		elsewhere(i);
	s = sent();
	CHECK(s.told == 0);	/* the first few may be set-up */
	for (; i < 12; i++)
		elsewhere(i);
	s = sent();
	CHECK(s.alike == 1);
	CHECK(s.looked.src_address == 0 && s.looked.dst_address == 0);
	CHECK(s.looked.bytes == MIB && s.looked.pages == MIB / PAGE);
	CHECK(s.looked.compared == MIB && s.looked.zeros == MIB / PAGE);
	CHECK(s.looked.changed == 0 && s.looked.apart == 1);
	CHECK(s.looked.site == CALL_MEMCPY_ASYNC);
	CHECK(recopy_spent() > 0);
	for (; i < 3000; i++)
		elsewhere(i);
	s = sent();
	CHECK(s.alike == RECOPY_COMPARED - 1 && s.differed == 0);
	CHECK(s.looked.apart > 50);
	/* A few looks tell of all. */
	CHECK(s.told < 30 && s.size.sampled > 1000);
	CHECK(s.size.alike == s.size.sampled);
}

TEST(the_same_content_from_elsewhere)
{
	alone(the_same_content);
}

/* Other data each time, only some of it, or only between the lines that are read: nothing, or
 * that it differs. */
static void
other_content(void)
{
	struct sent s;
	unsigned i;

	for (i = 0; i < 500; i++) {
		memset(buffer_of(i), (int)i, MIB);
		elsewhere(i);
	}
	CHECK(sent().told == 0);
	for (i = 0; i < 500; i++) {
		memset(buffer_of(i), 0, MIB);
		buffer_of(i)[100] = (char)i;
		copy(buffer_of(i), DEVICE + (uint64_t)(i % 5) * 4 * MIB,
		    MIB - PAGE);
	}
	s = sent();
	CHECK(s.told == 1 && s.differed == 1);
}

TEST(other_content_each_time)
{
	alone(other_content);
}

/* Equal data at first, then other: what is told last is that most is not alike. */
static void
at_first(void)
{
	struct sent s;
	unsigned i;

	for (i = 0; i < 1000; i++) {
		memset(buffer_of(i), i < 40 ? 0 : (int)i, MIB);
		elsewhere(i);
	}
	s = sent();
	CHECK(s.alike >= 1 && s.told > s.alike);
	CHECK(s.size.alike < s.size.sampled / 2);
}

TEST(equal_only_at_first)
{
	alone(at_first);
}

/* Two constants that take turns, and one that takes turns with data. */
static void
in_turn(void)
{
	struct sent s;
	unsigned i;

	for (i = 0; i < 600; i++) {
		memset(buffer_of(i), i % 2 ? 7 : 9, MIB);
		elsewhere(i);
	}
	s = sent();
	CHECK(s.alike >= 3 && s.differed == 0 && s.looked.zeros == 0);
	CHECK(s.size.alike == s.size.sampled);
	for (i = 0; i < 600; i++) {
		memset(buffer_of(i), i % 3 ? 7 : (int)i, MIB);
		copy(buffer_of(i), DEVICE + (uint64_t)(i % 5) * 4 * MIB,
		    MIB - PAGE);
	}
	s = sent();
	CHECK(s.alike >= 2 && s.differed == 0);
	CHECK(s.size.alike < s.size.sampled && s.size.alike > s.size.sampled / 2);
}

TEST(contents_that_take_turns)
{
	alone(in_turn);
}

/* An array of zeros in pieces, to three buffers in turn, several times over; two arrays. */
static void
pieces(void)
{
	char *p = map(64 * MIB, PROT_READ | PROT_WRITE);
	unsigned i;

	/* No pair of addresses comes twice. */
	for (i = 0; i < 190; i++)
		copy(p + i % 64 * MIB, DEVICE + (uint64_t)(i % 3) * MIB, MIB);
	for (i = 0; i < 190; i++)
		copy(p + (i % 2 * 32 + i / 2 % 32) * (MIB - PAGE), DEVICE +
		    (uint64_t)(i % 3) * MIB, MIB - PAGE);
	CHECK(sent().told == 0);
	CHECK(recopy_spent() == 0);
}

TEST(pieces_of_an_array)
{
	alone(pieces);
}

/* Sources that cannot be read, and a copy's cost where nothing is read. */
static void
no_source(void)
{
	unsigned i;

	for (i = 0; i < 100; i++) {
		copy((void *)(uintptr_t)(0x1000 + i % 7 * 16 * MIB), DEVICE +
		    (uint64_t)(i % 5) * MIB, MIB);
		inject.max_stall_ns = i < 50 ? 1000 : 10000000000ull;
		copy(buffer_of(i), DEVICE + (uint64_t)(i % 5) * MIB, MIB / 2);
	}
	CHECK(sent().alike >= 1);
}

TEST(no_source_to_read)
{
	alone(no_source);
}

/* More sizes than are followed, for longer than they are looked at. */
static void
many_sizes(void)
{
	struct sent s;
	unsigned i;

	for (i = 0; i < 40 * 500; i++)
		copy(buffer_of(i / 40), DEVICE + (uint64_t)(i / 40 % 5) * 4 * MIB,
		    MIB - i % 40 * PAGE);
	s = sent();
	CHECK(s.alike > RECOPY_COMPARED);
	CHECK(s.alike <= RECOPY_SIZES * RECOPY_COMPARED);
	CHECK(s.told <= 96);	/* SIZE_LOOKUPS */
}

TEST(many_sizes_at_once)
{
	alone(many_sizes);
}

TEST_GROUP(start, NULL)
