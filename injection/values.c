#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "wire/le.h"

#include "budget.h"
#include "counters.h"
#include "emit.h"
#include "filter.h"
#include "inject.h"
#include "module.h"
#include "nap.h"
#include "plan.h"
#include "sass.h"
#include "launch.h"
#include "silence.h"
#include "target.h"
#include "values.h"
#include "window.h"

#define FINISH_WAIT_NS 1500000000ull	/* for a window that is open at exit */
#define SETTLE_WAIT_NS 50000000ull	/* for a deferred window whose kernel has ended */
#define PART_VALUES 8192u	/* values in one INSTRUCTIONS record: 128 KiB */

static void
send_metrics(void)
{
	struct record_METRIC r = { 0 };
	static bool sent;
	uint32_t i;

	if (sent)
		return;
	for (i = 0; i < target_metrics()->count; i++) {
		r.id = i + 1;
		r.name = wire_str_of(target_metrics()->name[i]);
		EMIT(METRIC, &r);
	}
	sent = true;
}

static void
send_values(struct signature *s)
{
	uint8_t blob[METRICS_MAX * 16];
	size_t i, n = 0;
	uint64_t bits;
	struct record_COUNTERS r = { .signature = s->id,
	    .mode = inject.replay ? MODE_REPLAY : s->windows == 1 ?
	    MODE_SINGLE_PASS : MODE_SPREAD, .launches = s->windows,
	    .complete = atomic_load(&s->complete), .cost_ns = s->cost_ns };

	for (i = 0; i < target_metrics()->count; i++) {
		if (isnan(s->value[i]))
			continue;
		le32_put(blob + n, (uint32_t)i + 1);
		le32_put(blob + n + 4, 0);
		memcpy(&bits, &s->value[i], sizeof(bits));
		le64_put(blob + n + 8, bits);
		n += 16;
	}
	r.values.p = blob;
	r.values.len = (uint32_t)n;
	EMIT(COUNTERS, &r);
}

/* Sends the instruction counts of one function, in parts. */
static void
send_function(const struct signature *s, const struct sass_counts *c)
{
	static uint8_t blob[PART_VALUES * 16];	/* guarded by the window */
	struct record_INSTRUCTIONS r = { .signature = s->id,
	    .cubin = c->cubin, .cost_ns = s->count_ns,
	    .function = wire_str_of(c->function),
	    .parts = (uint32_t)((c->count + PART_VALUES - 1) / PART_VALUES) };
	size_t i, n;

	for (r.part = 0; r.part < r.parts; r.part++) {
		i = (size_t)r.part * PART_VALUES;
		for (n = 0; i < c->count && n < sizeof(blob); i++, n += 16) {
			le32_put(blob + n, c->value[i].pc);
			le32_put(blob + n + 4,
			    METRICS_SOURCE_ID(c->value[i].metric));
			le64_put(blob + n + 8, c->value[i].value);
		}
		r.values.p = blob;
		r.values.len = (uint32_t)n;
		EMIT(INSTRUCTIONS, &r);
	}
}

static void
send_counts(struct signature *s)
{
	struct record_METRIC m = { 0 };
	static bool named;
	const struct sass_counts *c;
	struct record_FUNCTION f = { .signature = s->id };
	uint32_t i;

	for (i = 0; !named && i < target_metrics()->sources; i++) {
		m.id = METRICS_SOURCE_ID(i);
		m.pass = 1;		/* counted by instruction */
		m.name = wire_str_of(target_metrics()->source[i]);
		EMIT(METRIC, &m);
	}
	named = true;
	for (c = s->counts; c != NULL; c = c->next) {
		if (strcmp(c->function, s->name) == 0 || c->next == NULL) {
			f.cubin = c->cubin;
			f.symbol = c->symbol;
			f.name = wire_str_of(c->function);
			EMIT(FUNCTION, &f);
			s->located = true;
			break;
		}
	}
	for (c = s->counts; c != NULL; c = c->next) {
		send_function(s, c);
		module_want(c->cubin);
	}
	sass_free(s->counts);
	s->counts = NULL;
}

static void
send_launches(struct signature *s)
{
	uint32_t i;

	for (i = 0; i < s->untraced; i++) {
		struct signature_launch *l = &s->launch[i];
		struct record_KERNEL r = { .signature = s->id,
		    .context = l->context, .stream = l->stream,
		    .correlation = l->correlation, .start_ns = l->start_ns,
		    .end_ns = l->end_ns, .launch_ns = l->launch_ns,
		    .tid = l->tid, .flags = KERNEL_PROFILED };

		launch_done(l->correlation);
		silence_seen(l->launch_ns);
		EMIT(KERNEL, &r);
	}
	s->untraced = 0;
}

static void
send_news(struct signature *s, bool final)
{

	/* SIGNATURE waits for an activity record, which has more fields, unless none
	 * will come because all launches were measured in windows. */
	if (!atomic_load(&s->dirty) || (!atomic_load(&s->announced) &&
	    (!atomic_load(&s->resources.known) || (!final &&
	    atomic_load(&s->launches) > s->untraced))))
		return;
	atomic_store(&s->dirty, false);
	if (!atomic_load(&s->announced))
		signature_announce(s, NULL);
	send_launches(s);
	if (s->counts != NULL)
		send_counts(s);
	if (s->value == NULL)
		return;
	send_metrics();
	send_values(s);
}

/* Sends SKIPPED with the reason why values are missing. */
static void
send_rest(struct signature *s)
{
	struct record_SKIPPED r = { .signature = s->id, .reason = s->skip };

	if (!atomic_load(&s->announced) && s->untraced > 0)
		signature_announce(s, NULL);
	send_launches(s);
	if (!atomic_load(&s->announced) || atomic_load(&s->complete) ||
	    !level_profiles(inject.level))
		return;
	if (r.reason == SKIP_NONE)
		r.reason = s->waits ? SKIP_WAITS :
		    target_refusal();
	if (r.reason == SKIP_NONE)
		r.reason = atomic_load(&s->launches) == 0 ? SKIP_GRAPH :
		    target_metrics()->count > 0 &&
		    (plan_needed(s) & ~s->passes) == 0 ? SKIP_MINOR :
		    s->late && (plan_needed(s) & ~s->passes &
		    plan_headline()) != 0 ? SKIP_LATE :
		    s->kept ? SKIP_GRAPHS :
		    s->stalls ? SKIP_STALL :
		    budget_exceeded() ? SKIP_BUDGET :
		    s->elsewhere ? SKIP_BUSY :
		    s->beside ? SKIP_CONCURRENT : filter_counts() ?
		    SKIP_RANGE : SKIP_TOO_FEW_LAUNCHES;
	EMIT(SKIPPED, &r);
}

/* Sends FUNCTION for a kernel whose instructions were not counted: its code is analysed
 * all the same. */
static void
send_code(struct signature *s)
{
	struct record_FUNCTION f = { .signature = s->id };

	if (!level_profiles(inject.level) || s->located || s->name == NULL ||
	    !atomic_load(&s->announced))
		return;
	s->located = true;
	if ((f.cubin = (uint32_t)module_find(s->name)) == 0)
		return;
	f.name = wire_str_of(s->name);
	EMIT(FUNCTION, &f);
}

static void
send_one(struct signature *s)
{

	send_news(s, false);
}

static void
send_last(struct signature *s)
{

	send_news(s, true);
	send_rest(s);
	send_code(s);
}

void
values_finish(void)
{
	uint64_t begin = inject_now();

	while (window_is_deferred() &&
	    inject_now() - begin < SETTLE_WAIT_NS) {
		counters_settle(true);
		nap(1000000);
	}
	while (window_is_held() && !window_is_deferred() &&
	    !window_is_shut() && nap_within(begin, FINISH_WAIT_NS, 1000000))
		continue;
}

void
values_send(bool final)
{

	/* Values change while the window is held: take the window, or skip this time.
	 * At the end, values of a deferred window are sent as they are. */
	if (!window_try() && (!final ||
	    (!window_is_shut() && !window_is_deferred())))
		return;
	signature_each(final ? send_last : send_one);
	if (!final)
		window_release();
}
