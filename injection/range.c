#include <stdbool.h>
#include <stdio.h>

#include "diag.h"
#include "emit.h"
#include "inject.h"
#include "range.h"
#include "range_name.h"

#define OPEN_SLOTS (2 * RANGE_OPEN)

/* Half of a range: a start without its end; or, if another thread ended the range and
 * its buffer came first, an end without its start. */
struct half {
	bool used, ended;
	uint32_t id, name, domain, tid;
	uint64_t ns;
};

static struct {
	struct half half[OPEN_SLOTS];	/* hash table by id, linear probing */
	uint32_t halves, ends;		/* all, and those without a start */
	uint32_t count;			/* RANGE records emitted or lost, and halves
					 * lost */
} range;

/* --- halves ------------------------------------------------------------------ */

static uint32_t
slot_of(uint32_t id)
{

	return id & (OPEN_SLOTS - 1);
}

static struct half *
half_find(uint32_t id)
{
	uint32_t i;

	for (i = slot_of(id); range.half[i].used;
	    i = (i + 1) & (OPEN_SLOTS - 1))
		if (range.half[i].id == id)
			return &range.half[i];
	return NULL;
}

/* Removes ${h}. Entries behind it, up to a free slot, move up if they belong nearer to
 * its slot. */
static void
half_remove(struct half *h)
{
	uint32_t hole = (uint32_t)(h - range.half), i = hole, home;

	range.halves--;
	range.ends -= h->ended;
	for (;;) {
		i = (i + 1) & (OPEN_SLOTS - 1);
		if (!range.half[i].used)
			break;
		home = slot_of(range.half[i].id);
		if (((i - home) & (OPEN_SLOTS - 1)) >=
		    ((i - hole) & (OPEN_SLOTS - 1))) {
			range.half[hole] = range.half[i];
			hole = i;
		}
	}
	range.half[hole].used = false;
}

/* Drops ends whose start never came, because the range began before tracing did. */
static void
drop_ends(void)
{
	uint32_t i;

	for (i = 0; i < OPEN_SLOTS; i++)
		while (range.half[i].used && range.half[i].ended)
			half_remove(&range.half[i]);
}

static void
half_add(const struct half *h)
{
	uint32_t i;

	if (range.halves == RANGE_OPEN && range.ends > 0)
		drop_ends();
	if (range.halves == RANGE_OPEN) {
		emit_lost(LOSS_RANGE, 1);
		range.count++;
		return;
	}
	for (i = slot_of(h->id); range.half[i].used;)
		i = (i + 1) & (OPEN_SLOTS - 1);
	range.half[i] = *h;
	range.half[i].used = true;
	range.halves++;
	range.ends += h->ended;
}

/* --- ranges ------------------------------------------------------------------ */

static void
send(const struct half *start, uint64_t end_ns, uint32_t flags)
{
	struct record_RANGE r = { .domain = start->domain,
	    .name = start->name, .tid = start->tid, .flags = flags,
	    .start_ns = start->ns, .end_ns = end_ns };

	EMIT(RANGE, &r);
}

void
range_cut(uint64_t now)
{
	uint32_t i;

	for (i = 0; i < OPEN_SLOTS; i++) {
		if (range.half[i].used && !range.half[i].ended &&
		    range.half[i].ns <= now)
			send(&range.half[i], now, RANGE_CUT);
		range.half[i].used = false;
	}
	range.halves = range.ends = 0;
}

/* Too many ranges: each marker costs the program time and CUPTI memory. The ranges that
 * are open now are kept until here, since they are worth more than most. */
static void
stop(uint64_t now)
{
	char text[160];

	inject.api.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MARKER);
	snprintf(text, sizeof(text), "the program made more than %u NVTX ranges: "
	    "later ones are not recorded", RANGE_MOST);
	diag_report(DIAG_RANGES, SEVERITY_INFO, 0, "NVTX ranges", text);
	range_cut(now);
}

static void
put(const struct half *start, uint64_t end_ns)
{

	if (emit_pressed())
		emit_lost(LOSS_RANGE, 1);
	else
		send(start, end_ns, 0);
	range.count++;
}

static void
on_start(const CUpti_ActivityMarker2 *m)
{
	struct half s = { .id = m->id, .ns = m->timestamp,
	    .name = range_name(m->name), .domain = range_name(m->domain),
	    .tid = m->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ?
	    m->objectId.pt.threadId : 0 }, *end = half_find(m->id);
	uint64_t ended = end != NULL ? end->ns : 0;

	if (end == NULL) {
		half_add(&s);
	} else if (end->ended) {
		half_remove(end);
		put(&s, ended);
	} else {
		/* The id is used again: the end of the other range was lost. */
		s.used = true;
		*end = s;
	}
}

static void
on_end(const CUpti_ActivityMarker2 *m)
{
	struct half e = { .id = m->id, .ns = m->timestamp, .ended = true },
	    *start = half_find(m->id), s;

	if (start == NULL) {
		half_add(&e);
	} else if (!start->ended) {
		s = *start;
		half_remove(start);
		put(&s, e.ns);
	}
}

void
range_marker(const CUpti_ActivityMarker2 *m)
{

	if (m->timestamp == 0 || range.count >= RANGE_MOST)
		return;
	if (m->flags & CUPTI_ACTIVITY_FLAG_MARKER_START)
		on_start(m);
	else if (m->flags & CUPTI_ACTIVITY_FLAG_MARKER_END)
		on_end(m);
	if (range.count == RANGE_MOST)
		stop(m->timestamp);
}
