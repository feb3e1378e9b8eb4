/* Parts of the injection library alone: what they keep when memory is short, when
 * handles are reused, and when handles are destroyed while they are waited for. */
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "budget.h"
#include "callback.h"
#include "cubin_sources.h"
#include "diag.h"
#include "emit.h"
#include "family.h"
#include "filter.h"
#include "gate.h"
#include "graphs.h"
#include "hold.h"
#include "inject.h"
#include "module.h"
#include "nap.h"
#include "order.h"
#include "patched.h"
#include "plain.h"
#include "range.h"
#include "range_name.h"
#include "signature.h"
#include "unit/test.h"
#include "wire/frame.h"

struct inject inject;

static _Atomic uint64_t set_back;	/* nanoseconds by which the clock was set back */

uint64_t
inject_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return -set_back + (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
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

void
cubin_sources_send(const uint8_t *image, size_t size)
{

	(void)image, (void)size;
}

static void
nap_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* The number of records of ${type} in the queue, which is emptied; the text of
 * the last STRING goes to ${text}. */
static unsigned
taken(unsigned type, char *text, size_t size)
{
	struct emit_frame *f = emit_take(1), *next;
	unsigned n = 0;
	struct record r;
	size_t pos;

	for (; f != NULL; f = next) {
		next = f->next;
		for (pos = 0; record_next(f->data + FRAME_HEADER_SIZE, f->size -
		    FRAME_HEADER_SIZE, &pos, &r) > 0;) {
			n += r.type == type;
			if (r.type != RECORD_STRING || text == NULL)
				continue;
			assert_true(r.u.STRING.text.len < size);
			memcpy(text, r.u.STRING.text.p, r.u.STRING.text.len);
			text[r.u.STRING.text.len] = '\0';
		}
		emit_release(f);
	}
	return n;
}

/* The longest hold so far. */
static uint64_t
held_longest(void)
{
	struct emit_frame *f, *next;
	uint64_t longest = 0;
	struct record r;
	size_t pos;

	hold_send(true);
	for (f = emit_take(1); f != NULL; f = next) {
		next = f->next;
		for (pos = 0; record_next(f->data + FRAME_HEADER_SIZE, f->size -
		    FRAME_HEADER_SIZE, &pos, &r) > 0;)
			if (r.type == RECORD_HELD)
				longest = r.u.HELD.longest_ns;
		emit_release(f);
	}
	return longest;
}

/* A name that did not fit into the queue is sent with its next use. */
TEST(names_survive_a_full_queue)
{
	struct record_CLOCK r = { .real_ns = 1 };
	uint64_t before = emit_lost_total();
	char text[64] = "";
	uint32_t id;

	while (emit_lost_total() == before)
		EMIT(CLOCK, &r);
	assert_int_equal(emit_string("late"), 0);
	taken(RECORD_CLOCK, NULL, 0);
	id = emit_string("late");
	assert_int_not_equal(id, 0);
	assert_int_equal(taken(RECORD_STRING, text, sizeof(text)), 1);
	assert_string_equal(text, "late");
	assert_int_equal(emit_string("late"), id);
	assert_int_equal(taken(RECORD_STRING, NULL, 0), 0);
}

static unsigned stopped;	/* markers were turned off */

static CUptiResult
disable(CUpti_ActivityKind kind)
{
	stopped += kind == CUPTI_ACTIVITY_KIND_MARKER;
	return CUPTI_SUCCESS;
}

static void
marker(bool start, uint32_t id, const char *name, uint64_t ns)
{
	CUpti_ActivityMarker2 m = { .kind = CUPTI_ACTIVITY_KIND_MARKER,
	    .flags = start ? CUPTI_ACTIVITY_FLAG_MARKER_START :
	    CUPTI_ACTIVITY_FLAG_MARKER_END, .timestamp = ns, .id = id,
	    .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD, .name = name };

	range_marker(&m);
}

static unsigned
ranges_taken(void)
{
	return taken(RECORD_RANGE, NULL, 0);
}

/* A range makes one record, whichever of its ends comes first and however many
 * others began meanwhile; if the end of a start was lost, the number is reused. */
TEST(ranges_of_markers)
{
	uint32_t i;

	inject.api.cuptiActivityDisable = disable;
	taken(RECORD_RANGE, NULL, 0);
	marker(true, 1, "epoch", 10);
	for (i = 2; i < 3 * RANGE_OPEN; i++) {
		marker(true, i, "step", i);
		marker(false, i, NULL, i + 1);
	}
	assert_int_equal(ranges_taken(), 3 * RANGE_OPEN - 2);
	marker(false, 1, NULL, 1000000);
	assert_int_equal(ranges_taken(), 1);
	marker(false, 7, NULL, 20);	/* another thread's buffer came first */
	assert_int_equal(ranges_taken(), 0);
	marker(true, 7, "late", 10);
	assert_int_equal(ranges_taken(), 1);
	marker(true, 8, "lost", 10);
	marker(true, 8, "found", 20);
	marker(false, 8, NULL, 30);
	marker(false, 8, NULL, 40);
	assert_int_equal(ranges_taken(), 1);
}

/* Open ranges beyond the limit are counted as lost; ends without starts make room. */
TEST(ranges_open_at_once)
{
	uint64_t lost = emit_lost_total();
	uint32_t i, all = 3 * RANGE_OPEN;

	for (i = 0; i < all; i++)
		marker(false, 0x10000 + i, NULL, 10);
	assert_int_equal(emit_lost_total(), lost);
	for (i = 0; i < all; i++)
		marker(true, 0x80000000u + 7 * i, "x", 10);
	assert_int_equal(emit_lost_total(), lost + all - RANGE_OPEN);
	for (i = 0; i < all; i++)
		marker(false, 0x80000000u + 7 * i, NULL, 20);
	assert_int_equal(ranges_taken(), RANGE_OPEN);
}

/* Ranges that are never ended turn CUPTI's markers off, too, and soon. */
TEST(ranges_never_ended)
{
	pid_t child = fork();
	uint32_t i;
	int status;

	if (child == 0) {
		alarm(20);
		for (i = 0; i < 2 * RANGE_MOST && stopped == 0; i++)
			marker(true, 0x9e3779b1u * i, NULL, 10);
		_exit(stopped == 1 && i < RANGE_MOST + RANGE_OPEN + 1 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* At the end, open ranges are sent as well, once. */
TEST(ranges_cut)
{
	ranges_taken();
	marker(true, 1, "epoch", 10);
	marker(false, 2, NULL, 10);
	range_cut(100);
	assert_int_equal(ranges_taken(), 1);
	marker(false, 1, NULL, 200);
	range_cut(300);
	assert_int_equal(ranges_taken(), 0);
}

/* A kind of range whose names never come again leaves room to the other kinds: of XLA's passes
 * the kind is left, and what runs later has its own names. */
TEST(ranges_of_kinds)
{
	uint64_t lost = emit_lost_total();
	char name[96], text[96] = "";
	uint32_t strings = 0, most = (RANGE_NAMES + RANGE_FOLDED) / RANGE_OF_KIND + 1;

	taken(RECORD_STRING, NULL, 0);
	for (uint32_t i = 0; i < 2 * RANGE_NAMES; i++) {
		snprintf(name, sizeof(name), "XlaPass:#name=%c%c%c%c,program_id=%u#",
		    'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676 % 26,
		    'a' + i / 17576, i);
		assert_int_not_equal(range_name(name), 0);
		if (i % 1024 == 0)
			strings += taken(RECORD_STRING, text, sizeof(text));
	}
	assert_true(strings + taken(RECORD_STRING, text, sizeof(text)) <= most);
	assert_string_equal(text, "XlaPass");
	assert_int_not_equal(range_name("Thunk:#hlo_op=fusion.3#"), 0);
	assert_int_equal(taken(RECORD_STRING, text, sizeof(text)), 1);
	assert_string_equal(text, "Thunk:#hlo_op=fusion.3#");
	assert_int_equal(emit_lost_total(), lost);
}

/* Names that count up do not use up the strings, which kernels need, too. If
 * there are too many ranges, CUPTI's markers are turned off. */
TEST(ranges_without_end)
{
	uint32_t i, before = RANGE_NAMES + 10;
	char name[64], text[64] = "";

	taken(RECORD_STRING, NULL, 0);
	for (i = 0; i < before; i++) {
		snprintf(name, sizeof(name), "step %u of 10", i);
		marker(true, i, name, 10);
		marker(false, i, NULL, 20);
	}
	assert_true(taken(RECORD_STRING, text, sizeof(text)) <= RANGE_NAMES);
	assert_string_equal(text, "step # of #");
	assert_int_not_equal(emit_string("a kernel"), 0);
	marker(true, 1u << 30, "around all", 5);
	for (i = 0; i < RANGE_MOST && stopped == 0; i++) {
		marker(true, i, "x", 10);
		marker(false, i, NULL, 20);
		if (i % 4096 == 0)
			taken(RECORD_RANGE, NULL, 0);
	}
	assert_int_equal(stopped, 1);
	/* Outer ranges are complete until then; later ones are missing. */
	assert_int_equal(ranges_taken(), (i - 1) % 4096 + 1);
	marker(false, 1u << 30, NULL, 1000);
	marker(true, i, "x", 10);
	marker(false, i, NULL, 20);
	assert_int_equal(ranges_taken(), 0);
}

/* However often code is unloaded: if another function gets the address, the
 * address is that function's. */
TEST(addresses_come_back)
{
	const struct signature_shape shape = { .grid = { 1, 1, 1 },
	    .block = { 32, 1, 1 } };
	const void *address = &shape;
	struct signature *s, *first;
	char name[32];
	int i;

	first = signature_of(address, "first", &shape);
	assert_ptr_equal(signature_of(address, "first", &shape), first);
	for (i = 0; i < 600; i++) {
		signature_forget_keys();
		snprintf(name, sizeof(name), "f%d", i);
		s = signature_of(address, name, &shape);
		assert_string_equal(s->name, name);
	}
	signature_forget_keys();
	assert_ptr_equal(signature_of(address, "first", &shape), first);
}

#define FUNCTIONS 256

static struct {
	_Atomic bool over;
	_Atomic unsigned wrong;
	char name[FUNCTIONS][32];
} reload;

/* Function ${i} has an address and a block size of its own. */
static struct signature *
function_signature(unsigned i, const char *name)
{
	struct signature_shape shape = { .grid = { 1, 1, 1 },
	    .block = { i + 1, 1, 1 } };

	return signature_of(reload.name[i], name, &shape);
}

static void *
launch_all(void *cookie)
{
	struct signature *s;
	unsigned i;

	(void)cookie;
	while (!atomic_load(&reload.over))
		for (i = 0; i < FUNCTIONS; i++) {
			s = function_signature(i, reload.name[i]);
			if (strcmp(s->name, reload.name[i]) != 0)
				atomic_fetch_add(&reload.wrong, 1);
		}
	return NULL;
}

/* However often all code is unloaded and loaded again: by its second launch a
 * function is known by its address, and never by another one's. */
TEST(keys_come_and_go)
{
	struct signature *s;
	pthread_t t;
	unsigned i, n;

	for (i = 0; i < FUNCTIONS; i++)
		snprintf(reload.name[i], sizeof(reload.name[i]), "g%u", i);
	assert_int_equal(pthread_create(&t, NULL, launch_all, NULL), 0);
	for (n = 0; n < 600; n++) {
		signature_forget_keys();
		for (i = 0; i < FUNCTIONS; i++) {
			s = function_signature(i, reload.name[i]);
			assert_string_equal(s->name, reload.name[i]);
		}
	}
	atomic_store(&reload.over, true);
	pthread_join(t, NULL);
	assert_int_equal(reload.wrong, 0);
	for (i = 0; i < FUNCTIONS; i++) {
		s = function_signature(i, reload.name[i]);
		/* Otherwise the name would be looked up. */
		assert_ptr_equal(function_signature(i, "unknown"), s);
	}
}

static unsigned checksums;

static CUptiResult
no_checksum(CUpti_GetCubinCrcParams *p)
{

	checksums++;
	p->cubinCrc = 0;
	return CUPTI_ERROR_INVALID_PARAMETER;
}

/* Samples of a cubin unknown to CUPTI are not attributed to a cubin whose
 * checksum we do not know: that may be too large to be kept. */
TEST(unknown_code_is_not_sent)
{
	size_t size = 33u << 20;
	char *cubin = calloc(1, size);
	CUpti_ModuleResourceData d = { .pCubin = cubin, .cubinSize = size };

	inject.level = LEVEL_SOURCE;
	inject.api.cuptiGetCubinCrc = no_checksum;
	module_loaded(&d, 0);
	d.cubinSize = 4096;
	module_loaded(&d, 0);
	module_want(0);
	assert_false(module_send());
	assert_int_equal(taken(RECORD_CUBIN, NULL, 0), 0);
	/* Nor is it searched for again, before there is other code. */
	checksums = 0;
	assert_false(module_send());
	assert_int_equal(checksums, 0);
	module_want(7);
	assert_false(module_send());
	assert_int_equal(checksums, 1);
	cubin[100] = 1;
	module_loaded(&d, 0);
	assert_false(module_send());
	assert_int_equal(checksums, 5);
	free(cubin);
}

#define STREAM ((CUstream)(uintptr_t)0x5000)

static atomic_bool destroyed, asked, asked_late;

/* The stream is never idle, and the query takes a moment. (Destroying it waits 20
 * ms for an answer: a thread that did not run during most of them shows nothing.) */
static CUresult
query(CUstream stream)
{
	uint64_t begin = inject_now();

	assert_ptr_equal(stream, STREAM);
	atomic_store(&asked, true);
	nap_ms(1);
	if (atomic_load(&destroyed) && inject_now() - begin < 15000000)
		atomic_store(&asked_late, true);
	return CUDA_ERROR_NOT_READY;
}

static void *
destroy(void *cookie)
{

	while (!atomic_load(&asked))
		nap_ms(1);
	gate_stream_gone(STREAM);
	atomic_store(&destroyed, true);
	return cookie;
}

/* Another thread destroys a stream that is waited for: after that the driver is
 * not asked about it. */
TEST(streams_go_while_waited_for)
{
	pthread_t thread;

	inject.api.cuStreamQuery = query;
	gate_stream(STREAM, 0);
	assert_int_equal(pthread_create(&thread, NULL, destroy, NULL), 0);
	assert_true(gate_wait_stream(STREAM, 5000000000ull));
	pthread_join(thread, NULL);
	assert_true(atomic_load(&destroyed));
	assert_false(atomic_load(&asked_late));
}

TEST(share_is_a_number_from_0_to_10)
{
	static const char *const bad[] = { NULL, "-0.1", "10.1", "nan",
	    "-inf" };
	size_t i;

	assert_true(order_share("0.25", 7) == 0.25);
	assert_true(order_share("0", 7) == 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(order_share(bad[i], 7) == 7);
}

TEST(stall_is_a_number_of_milliseconds)
{
	static const char *const bad[] = { NULL, "", "0", "-1", "60001", "5x",
	    "0x10", " 5", "5 ", "1e2", "99999999999999999999", "4294967297" };
	size_t i;

	assert_int_equal(order_stall("1"), 1000000);
	assert_int_equal(order_stall("250"), 250000000);
	assert_true(order_stall("60000") == 60000000000ull);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(order_stall(bad[i]), 100000000);
}

static CUresult
push(CUcontext context)
{

	(void)context;
	return CUDA_SUCCESS;
}

static CUresult
pop(CUcontext *context)
{

	*context = NULL;
	return CUDA_SUCCESS;
}

static atomic_bool let_go;

/* A host function that waits for the program's next action. */
static CUresult
never_idle(void)
{

	atomic_store(&asked, true);
	while (!atomic_load(&let_go))
		nap_ms(1);
	return CUDA_SUCCESS;
}

static CUresult
idle(void)
{

	return CUDA_SUCCESS;
}

/* However long the driver takes to answer whether it is idle, the caller goes
 * on, and asks again only after that answer. */
TEST(nobody_waits_for_ever)
{
	CUcontext context = (CUcontext)(uintptr_t)1;

	inject.api.cuCtxPushCurrent = push;
	inject.api.cuCtxPopCurrent = pop;
	inject.api.cuCtxSynchronize = never_idle;
	assert_true(gate_close(0, 0));
	assert_false(gate_drain(context, 0, 5000000));
	inject.api.cuCtxSynchronize = idle;
	assert_false(gate_drain(context, 0, 0));
	atomic_store(&let_go, true);
	nap_ms(100);
	assert_true(gate_drain(context, 0, 5000000000ull));
	gate_open();
}

#define ENDLESS ((CUstream)(uintptr_t)0x900)

static CUresult
endless(CUstream stream)
{

	return stream == ENDLESS ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

/* Endless work on one device does not affect another. */
TEST(each_device_is_idle_for_itself)
{
	CUcontext context = (CUcontext)(uintptr_t)1;

	inject.api.cuCtxPushCurrent = push;
	inject.api.cuCtxPopCurrent = pop;
	inject.api.cuCtxSynchronize = idle;
	inject.api.cuStreamQuery = endless;
	gate_stream(ENDLESS, 1);
	gate_stream(STREAM, 0);
	assert_true(gate_close(0, 0));
	assert_true(gate_drain(context, 0, 5000000000ull));
	assert_false(gate_drain(context, 1, 5000000));
	assert_true(gate_looks_idle(context, 0, 0));
	assert_false(gate_looks_idle(context, 1, 0));
	gate_open();
	gate_stream_gone(ENDLESS);
	assert_true(gate_looks_idle(context, 1, 0));
}

/* Default streams have no handle, and each thread has one of its own. */
TEST(captures_of_default_streams_are_seen)
{
	uintptr_t key[] = { gate_key(NULL, false), gate_key(NULL, true),
	    gate_key(STREAM, false) };
	size_t i;

	assert_int_equal(key[0], gate_key(CU_STREAM_LEGACY, true));
	assert_int_equal(key[1], gate_key(CU_STREAM_PER_THREAD, false));
	for (i = 0; i < 3; i++) {
		assert_int_not_equal(key[i], 0);
		assert_int_not_equal(key[i], key[(i + 1) % 3]);
		assert_false(gate_capturing());
		gate_capture(key[i], true);
		assert_true(gate_capturing());
		assert_false(gate_close(0, 0));
		gate_open();
		gate_capture(key[i], false);
	}
	assert_false(gate_capturing());
}

static atomic_bool begun;

static void *
capture(void *cookie)
{

	gate_capture(gate_key(STREAM, false), true);
	atomic_store(&begun, true);
	return cookie;
}

/* A capture that begins while a profiler is turned on or off waits until that
 * is done. */
TEST(captures_wait_at_the_gate)
{
	pthread_t thread;

	assert_true(gate_close(0, 0));
	assert_int_equal(pthread_create(&thread, NULL, capture, NULL), 0);
	nap_ms(50);
	assert_false(atomic_load(&begun));
	gate_open();
	pthread_join(thread, NULL);
	assert_true(atomic_load(&begun));
	gate_capture(gate_key(STREAM, false), false);
}

static atomic_int launched;

static void *
launch(void *cookie)
{

	gate_launch_begin((uint32_t)(uintptr_t)cookie);
	gate_launch_end();
	atomic_fetch_add(&launched, 1);
	return NULL;
}

/* Launches on other GPUs do not wait. */
TEST(each_device_has_a_gate)
{
	pthread_t thread;

	assert_true(gate_close(1, 0));
	launch((void *)(uintptr_t)2);
	assert_int_equal(atomic_load(&launched), 1);
	assert_int_equal(pthread_create(&thread, NULL, launch,
	    (void *)(uintptr_t)1), 0);
	nap_ms(50);
	assert_int_equal(atomic_load(&launched), 1);
	gate_open();
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&launched), 2);
}

static void *
load(void *cookie)
{

	gate_load_begin();
	atomic_fetch_add(&launched, 1);
	gate_load_end();
	return cookie;
}

/* Code is not loaded while the gate is closed, and the gate not closed meanwhile. */
TEST(loads_and_the_gate_exclude_each_other)
{
	uint64_t begin;
	pthread_t thread;

	atomic_store(&launched, 0);
	gate_load_begin();
	nap_ms(5);
	begin = inject_now();
	assert_false(gate_close(0, 0));
	gate_open();
	assert_false(gate_loads_stop());
	gate_loads_go();
	assert_true(inject_now() - begin < 1000000000u);
	gate_load_end();
	gate_load_end();	/* an exit without its enter */
	assert_false(gate_loading());
	assert_true(gate_close(0, 0));
	assert_int_equal(pthread_create(&thread, NULL, load, NULL), 0);
	nap_ms(50);
	assert_int_equal(atomic_load(&launched), 0);
	gate_running(true);	/* a kernel may wait for the load */
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&launched), 1);
	gate_open();
	assert_true(gate_loads_stop());
	assert_int_equal(pthread_create(&thread, NULL, load, NULL), 0);
	nap_ms(50);
	assert_int_equal(atomic_load(&launched), 1);
	gate_loads_go();
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&launched), 2);
}

/* What would exceed the budget is not begun; with no budget, nothing is. */
TEST(the_budget_is_asked_before)
{
	uint64_t now = inject_now();

	inject.begin_ns = now;
	inject.level = LEVEL_COUNTERS;
	inject.budget = 0.05;
	assert_true(budget_allows(now, 1000000));
	assert_false(budget_allows(now, 60000000000ull));
	inject.budget = 0;
	assert_false(budget_allows(now, 1));
	assert_true(budget_exceeded());
}

/* What a run may spend in its second minute is far less than in its first, and the time
 * from which a cost is allowed is known. */
TEST(the_budget_grows_ever_slower)
{
	const uint64_t s = 1000000000ull, step = s / 1000;
	uint64_t begin = inject_now(), free = 0, first, second, at;

	inject.begin_ns = begin;
	inject.level = LEVEL_COUNTERS;
	inject.budget = 0.05;
	budget_renew(begin);
	while (budget_allows(begin, free + step))
		free += step;
	first = second = 0;
	budget_renew(begin + 60 * s);
	while (budget_allows(begin + 60 * s, free + first + step))
		first += step;
	budget_renew(begin + 120 * s);
	while (budget_allows(begin + 120 * s, free + first + second + step))
		second += step;
	assert_in_range(first, 60 * s / 100, 60 * s / 20);
	assert_in_range(second, 60 * s / 1000, first / 2);
	budget_renew(begin);
	assert_true(budget_when(free) <= begin);
	at = budget_when(free + first);
	budget_renew(at);
	assert_in_range(at, begin + 59 * s, begin + 60 * s);
	assert_true(budget_allows(at + step, free + first));
	assert_false(budget_allows(at - step, free + first));
	inject.budget = 0;
	assert_true(budget_when(1) == UINT64_MAX);
}

/* What is left of the allowance lapses 10 s after the latest new function: from then on
 * there is the share alone, until there is a new function. */
TEST(the_allowance_lapses)
{
	const uint64_t s = 1000000000ull;
	uint64_t begin = inject_now(), free = 0;

	inject.begin_ns = begin;
	inject.level = LEVEL_COUNTERS;
	inject.budget = 0.05;
	budget_renew(begin);
	while (budget_allows(begin + 9 * s, free + s / 1000))
		free += s / 1000;
	assert_true(free > 3 * s / 2);
	budget_charge(begin, begin + s, OVERHEAD_COUNTERS);
	assert_true(budget_allows(begin + 9 * s, free - s));
	assert_false(budget_allows(begin + 10 * s, s / 100));
	/* The share of ten more seconds. */
	assert_true(budget_allows(begin + 20 * s, s / 6));
	assert_false(budget_allows(begin + 20 * s, s / 4));
	budget_renew(begin + 30 * s);
	assert_true(budget_allows(begin + 39 * s, free - s));
	assert_false(budget_allows(begin + 40 * s, s / 100));
	inject.budget = 0;
}

/* A clock that is set back gives no time away, and takes none. */
TEST(the_clock_is_set_back)
{
	const uint64_t s = 1000000000ull;
	uint64_t begin = inject_now(), free = 0, longest = held_longest();

	inject.begin_ns = begin;
	inject.level = LEVEL_COUNTERS;
	inject.budget = 0.05;
	budget_renew(begin);
	while (budget_allows(begin, free + s / 1000))
		free += s / 1000;
	budget_charge(begin + s, begin, OVERHEAD_COUNTERS);
	assert_true(budget_allows(begin, free));
	assert_false(budget_allows(begin, free + s / 100));
	/* Another thread has renewed it a moment after this one looked at the clock. */
	assert_true(budget_allows(begin - s, free));
	assert_false(budget_allows(begin - 3600 * s, s / 100));
	hold_add(HOLD_MEASURE, begin - (begin + s));
	assert_int_equal(held_longest(), longest);
	inject.budget = 0;
	/* Loads wait for a time that is an hour away now. */
	inject.max_stall_ns = s / 10;
	gate_loads_until(inject_now() + s / 10);
	set_back = 3600 * s;
	begin = inject_now();
	load(NULL);
	assert_true(inject_now() - begin < s);
	set_back = 0;
	gate_loads_until(0);
}

/* A long duration in a launch's record marks the kernel as important at once. */
TEST(time_decides_what_matters)
{
	struct signature_shape small = { .grid = { 1, 1, 1 },
	    .block = { 32, 1, 1 } }, large = { .grid = { 9, 1, 1 },
	    .block = { 32, 1, 1 } };
	struct signature *a, *b, *c, *d;
	int i, key[4] = { 0 };

	a = signature_of(&key[0], "long_one", &small);
	b = signature_of(&key[1], "long_one", &large);
	c = signature_of(&key[2], "short_one", &small);
	d = signature_of(&key[3], "often", &small);
	assert_ptr_equal(a->family, b->family);
	signature_ran(c, 5000);
	assert_false(c->matters || family_matters(c->family));
	atomic_store(&a->affordable_ns, UINT64_MAX);
	signature_ran(a, 3000000);
	assert_true(a->matters);
	assert_true(a->affordable_ns == 0);
	/* Another shape of it deserves a measurement, */
	assert_false(b->matters);
	assert_true(family_matters(b->family));
	assert_true(b->family->gpu_ns >= b->family->next_ns);
	/* but a further one only when the function has taken as much time again. */
	family_counted(b->family);
	assert_true(b->family->gpu_ns < b->family->next_ns);
	signature_ran(b, 2900000);
	assert_true(b->family->gpu_ns < b->family->next_ns);
	signature_ran(b, 200000);
	assert_true(b->family->gpu_ns >= b->family->next_ns);
	for (i = 0; i < 7; i++)
		signature_ran(d, 25000);
	assert_false(d->matters);
	signature_ran(d, 25000);
	assert_true(d->matters);
	for (i = 0; i < 20; i++)
		signature_ran(c, 5000);
	assert_false(c->matters || family_matters(c->family));
}

/* If a profiler takes long, not every launch waits until it is known to. */
TEST(a_gate_that_stays_closed_holds_once)
{
	uint64_t begin;

	assert_true(gate_close(0, 0));
	launch(NULL);
	begin = inject_now();
	launch(NULL);
	load(NULL);
	gate_capture(gate_key(STREAM, false), true);
	assert_true(inject_now() - begin < 1000000000u);
	gate_capture(gate_key(STREAM, false), false);
	gate_open();
}

static CUresult
query_slowly(CUstream stream)
{

	(void)stream;
	atomic_store(&asked, true);
	nap_ms(200);
	return CUDA_SUCCESS;
}

static void *
wait_idle(void *cookie)
{

	gate_wait_stream(STREAM, 1);
	return cookie;
}

/* Whoever destroys a stream that is asked about waits for the answer: that time is
 * charged. */
TEST(the_wait_for_an_answer_is_charged)
{
	pthread_t thread;

	atomic_store(&asked, false);
	inject.api.cuStreamQuery = query_slowly;
	gate_stream(STREAM, 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_idle, NULL), 0);
	while (!atomic_load(&asked))
		nap_ms(1);
	taken(RECORD_OVERHEAD, NULL, 0);
	gate_stream_gone(STREAM);
	assert_int_equal(taken(RECORD_OVERHEAD, NULL, 0), 1);
	pthread_join(thread, NULL);
}

/* A context is not destroyed while the driver is asked whether it is idle; but the
 * destruction waits for a while only. */
TEST(contexts_go_while_waited_for)
{
	CUcontext context = (CUcontext)(uintptr_t)1;
	uint64_t begin;

	atomic_store(&let_go, false);
	atomic_store(&asked, false);
	inject.api.cuCtxPushCurrent = push;
	inject.api.cuCtxPopCurrent = pop;
	inject.api.cuCtxSynchronize = never_idle;
	assert_true(gate_close(0, 0));
	assert_false(gate_drain(context, 0, 5000000));
	gate_open();
	while (!atomic_load(&asked))	/* the thread that asks may begin late */
		nap_ms(1);
	begin = inject_now();
	gate_context_gone((CUcontext)(uintptr_t)2, 5000000000ull);
	assert_true(inject_now() - begin < 1000000000u);
	begin = inject_now();
	gate_context_gone(context, 100000000);
	assert_true(inject_now() - begin >= 100000000u);
	atomic_store(&let_go, true);
	begin = inject_now();
	gate_context_gone(context, 5000000000ull);
	assert_true(inject_now() - begin < 1000000000u);
}

/* Names as nvcc 13 and g++ 13 print them. */
TEST(names_without_arguments)
{
	static const char *const name[][2] = {
		{ "saxpy", "saxpy" },
		{ "_Z5saxpyifPKfPf", "saxpy" },
		{ "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
		    "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
		    "at::native::vectorized_elementwise_kernel" },
		{ "_ZN12_GLOBAL__N_13addILb1EXadL_Z3sumvEEEEvPi",
		    "(anonymous namespace)::add" },
		{ "_ZN3fooIZ4mainEUlvE0_E3runIN1a1bILi3EE1cELin7EEEvv",
		    "foo::run" },
		{ "_ZNSt6vectorIiSaIiEE4growEv", "std::vector::grow" },
		{ "_ZN1aL6hiddenEPf", "a::hidden" },
	};
	static const char *const other[] = { "_Z", "_ZN", "_ZN1aI", "_Z9short",
	    "_ZN3fooILi4EE", "_ZZ4mainENKUlvE_clEv", "_ZN3fooIDF", "" };
	char out[64], cut[256];
	size_t i, n;

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		assert_true(plain_name(name[i][0], out, sizeof(out)));
		assert_string_equal(out, name[i][1]);
		/* Truncated names: nothing beyond the end is read. */
		for (n = 0; n < strlen(name[i][0]); n++) {
			snprintf(cut, sizeof(cut), "%.*s", (int)n, name[i][0]);
			plain_name(cut, out, sizeof(out));
		}
	}
	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		assert_false(plain_name(other[i], out, sizeof(out)));
		assert_string_equal(out, "");
	}
	assert_false(plain_name(name[2][0], out, 16));
}

/* Must be the last test of this file, because the filter stays set. */
TEST(kernels_are_chosen_by_name_and_number)
{
	static const char deep[] = "_ZN1a6kernelIiEEvPT_";

	assert_true(filter_takes(deep));	/* no filter was given */
	assert_false(filter_counts());
	assert_false(filter_read("(a)\\1", NULL));
	assert_false(filter_read("a[", "2:"));
	assert_true(filter_takes(deep));
	assert_false(filter_counts());
	assert_true(filter_read("^kernel$|^b::|PT2_", "2:3"));
	assert_true(filter_takes(deep));
	assert_true(filter_takes("_ZN1b1cEv"));
	assert_true(filter_takes("_Z1fIiEEvPT2_"));
	assert_false(filter_takes("_ZN1a7kernelsIiEEvPT_"));
	assert_true(filter_counts());
	assert_true(filter_before(1) && !filter_after(1));
	assert_true(!filter_before(2) && !filter_after(3));
	assert_true(filter_after(4));
}

static int
set_up(void **state)
{

	(void)state;
	emit_init(1);
	return signature_init();
}

/* Measured on H200s: millions of warp instructions, microseconds alone, and
 * milliseconds with patched code. */
TEST(a_count_by_instruction_takes_no_longer_than_expected)
{
	static const struct { double million, us, ms; } seen[] = {
		{ 222.2, 296, 57.1 }, { 46.1, 184, 46.5 }, { 1.7, 5566, 53.8 },
		{ 109.9, 9027, 69.9 }, { 113.3, 5339, 187.1 },
		{ 492.8, 808, 337.1 }, { 896.6, 815, 646.4 },
		{ 236.8, 533, 125.7 }, { 79.7, 253, 48.5 } };
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		ns = patched_time(1e6 * seen[i].million,
		    (uint64_t)(1000 * seen[i].us));
		assert_true(1.35 * (double)ns > 1e6 * seen[i].ms);
		assert_true((double)ns < 4 * 1e6 * seen[i].ms);
	}
	assert_true(patched_time(NAN, 0) == UINT64_MAX);
	assert_true(patched_time(NAN, 1000000) == 400000000);
	/* A slower machine changes the expectation, a faster kernel does not. */
	ns = patched_time(100e6, 0);
	patched_learn(100e6, 0, ns / 2);
	assert_true(patched_time(100e6, 0) == ns);
	patched_learn(100e6, 0, 2 * ns);
	assert_true(patched_time(100e6, 0) == 2 * ns);
}

static void *
nap_cancelled(void *reached)
{

	pthread_cancel(pthread_self());
	nap(1000);
	*(bool *)reached = true;
	pthread_testcancel();
	return NULL;
}

static int
find_libm(struct dl_phdr_info *info, size_t size, void *path)
{

	(void)size;
	if (strstr(info->dlpi_name, "/libm.so") == NULL)
		return 0;
	snprintf(path, 256, "%s", info->dlpi_name);
	return 1;
}

/* A library that makes graphs is known by its file's name, also if it comes later. */
TEST(a_library_tells_that_graphs_will_come)
{
	char libm[256], copy[] = "/tmp/cadv-graphs.XXXXXX", path[64], text[512];
	void *library;

	assert_int_equal(dl_iterate_phdr(find_libm, libm), 1);
	assert_non_null(mkdtemp(copy));
	snprintf(path, sizeof(path), "%s/xla_cuda_plugin.so", copy);
	snprintf(text, sizeof(text), "cp %s %s", libm, path);
	assert_int_equal(system(text), 0);
	assert_false(graphs_likely());
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	assert_false(graphs_likely());	/* it looked a moment ago */
	nap_ms(1100);
	assert_true(graphs_likely());
	dlclose(library);
	assert_true(graphs_likely());
	unlink(path);
	rmdir(copy);
}

/* Cancellation would unwind the thread out of the driver, whose locks it may hold. */
TEST(a_nap_is_no_place_to_be_cancelled)
{
	bool reached = false;
	pthread_t thread;
	void *status;

	assert_int_equal(pthread_create(&thread, NULL, nap_cancelled, &reached),
	    0);
	assert_int_equal(pthread_join(thread, &status), 0);
	assert_true(reached);
	assert_ptr_equal(status, PTHREAD_CANCELED);
}

/* Sizes that change with the data: thousands of shapes, of which no launch is lost. Last, as it
 * fills the table. */
TEST(shapes_without_end)
{
	struct signature_shape shape = { .grid = { 1, 1, 1 }, .block = { 128, 1, 1 } };
	struct signature *s, *exact = NULL;
	uint64_t lost = emit_lost_total();
	uint32_t first = signature_count();
	char name[32];
	int key;

	for (uint32_t n = 1; n <= 60000; n++) {
		shape.grid[0] = n;
		s = signature_of(&key, "varies", &shape);
		assert_non_null(s);
		exact = n == 17 ? s : exact;
		assert_true(llabs((long long)s->shape.grid[0] - (long long)n) <= 0.12 * n);
		assert_true(s->rounded || s->shape.grid[0] == n);
	}
	assert_in_range(signature_count(), SIGNATURE_MAX / 2, SIGNATURE_MAX / 2 + 64);
	assert_in_range(first, 1, SIGNATURE_MAX / 4);
	shape.grid[0] = 17;
	assert_ptr_equal(signature_of(&key, "varies", &shape), exact);
	assert_false(exact->rounded);
	/* A full table: other shapes of a known function are counted with its first. */
	for (int i = 0; signature_count() < SIGNATURE_MAX; i++) {
		snprintf(name, sizeof(name), "other%d", i);
		assert_non_null(signature_of(name, name, &shape));
		signature_forget_keys();
	}
	assert_true(emit_lost_total() == lost);
	shape.block[0] = 64;
	s = signature_of(&key, "varies", &shape);
	assert_non_null(s);
	assert_string_equal(s->name, "varies");
	assert_int_equal(s->shape.grid[0], 1);
	assert_null(signature_of(&key + 1, "no room", &shape));
	assert_true(emit_lost_total() == lost + 1);
}

TEST_GROUP(set_up, NULL)
