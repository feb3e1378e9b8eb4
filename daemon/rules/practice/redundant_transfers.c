/*
 * redundant-transfers: the host sends a range to the device although its bytes came
 * from there, or went to the same place the last time. The library compares the bytes of
 * some repeated copies: what stayed the same counts as saved. Of the others it is not
 * known whether the host changed them in between: copies that came too soon for that
 * count as saved, those that came nearly too soon in part.
 *
 * Or what it sends is a window that slides over its memory: most of it was in the window
 * before.
 *
 * Or copies of one size carry the same content again and again, from other addresses to
 * other addresses: staged through a pool's buffers, or allocated and filled anew.
 *
 * Or large copies within the device take much of the GPU's time: whole buffers that are
 * copied to be added to, or copied back in the place of swapping two pointers.
 */
#include <math.h>

#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"

/* A copy from the device is spared if the host does not read the data: half of them. */
#define DOWN_SPARED 0.5

#define RING_LEAST 2		/* buffers of a ring */
#define RING_TURNS 0.9		/* of its copies, those that a copy back follows */

/* A copy within the device carries some data that is new: most of it, not all, goes. */
#define WITHIN_SPARED 0.8
static const struct {
	const char *key, *what, *label, *advice, *note;
} text[RESENT_KINDS] = {
	[RESENT_ROUND] = { "round", "round trips",
	    "copies to the device of what had come from a device",
	    "leave the data on the device: swap the pointers there, or "
	    "cudaMemcpyDeviceToDevice, and copy to the host only what it "
	    "reads, when it reads it",
	    "of the copies that came back to the device before the host could "
	    "have written as much; half of the copies from the device before "
	    "them, which the host may have read later" },
	[RESENT_AGAIN] = { "again", "repeated copies",
	    "copies of a host range to where it had been copied before",
	    "if the bytes are the same, copy them once; if kernels overwrite "
	    "them, keep a second copy in device memory and restore from that "
	    "(cudaMemcpyAsync, device to device); zeros need no copy but "
	    "cudaMemsetAsync",
	    "of the copies that came before the host could have written their "
	    "bytes anew; a copy on the device in the place of each, in case "
	    "kernels overwrite them" },
	[RESENT_SAME] = { "same", "repeated copies",
	    "copies of a host range to where it had been copied before",
	    "copy the bytes once; if kernels overwrite them, keep a second copy "
	    "in device memory and restore from that (cudaMemcpyAsync, device to "
	    "device)",
	    "of the copies that did not queue behind one another, whose bytes "
	    "stayed the same where they were compared; a copy on the device in "
	    "the place of each, in case kernels overwrite them" },
	[RESENT_PART] = { "part", "repeated copies",
	    "copies of a host range to where it had been copied before",
	    "copy only what the host changed",
	    "of the copies, the part of their bytes that stayed the same where "
	    "they were compared; nothing if the program stands for one whose "
	    "data all changes" },
	[RESENT_SLID] = { "slid", "a sliding window",
	    "copies of a host range that has most in common with the one copied "
	    "there before, and begins further on",
	    "copy only what is new in the window: keep it in device memory as a "
	    "ring, copy the new part over the oldest, and let the kernel count "
	    "from there, modulo the length; or, if it fits, copy all of the data "
	    "once and pass the kernel a pointer to the window's begin",
	    "of the copies that came before the host could have written it anew, "
	    "the part that was in the window before; nothing if that stands for "
	    "other data" },
	[RESENT_ALIKE] = { "alike", "the same content",
	    "copies of a size whose content was the same, from ranges that had been "
	    "copied to addresses that had been copied to",
	    "copy once, in front of the loop, what does not change, and let the steps "
	    "read that; if kernels overwrite it, restore it from a second copy in "
	    "device memory (cudaMemcpyAsync, device to device); zeros need no copy "
	    "but cudaMemsetAsync",
	    "of the copies of this size that did not queue behind one another, the "
	    "part that carried what another one did, where some were compared; a copy "
	    "on the device in the place of each, in case kernels overwrite them" },
};

/* Whoever sends nothing but zeros has no use for a second copy. */
static const char zeros_advice[] =
    "make the zeros on the device, by cudaMemsetAsync in the place of the copy; no host "
    "memory has to be allocated and filled for it";
static const char zeros_bad[] =
    "std::vector<float> zeros(n);\n"
    "cudaMemcpy(d, zeros.data(), n * 4, cudaMemcpyHostToDevice);   // each step";
static const char zeros_good[] =
    "cudaMemsetAsync(d, 0, n * 4, s);";

static const char slid_bad[] =
    "for (int i = 0; i < n; i++) {\n"
    "    cudaMemcpyAsync(d_window, h + i * step, bytes, cudaMemcpyHostToDevice, s);\n"
    "    work<<<grid, 256, 0, s>>>(d_window);\n"
    "}";
static const char slid_good[] =
    "cudaMemcpyAsync(d_ring, h, bytes, cudaMemcpyHostToDevice, s);\n"
    "for (int i = 0; i < n; i++) {\n"
    "    int oldest = i * step % length;\n"
    "    work<<<grid, 256, 0, s>>>(d_ring, oldest);\n"
    "    cudaMemcpyAsync(d_ring + oldest, h + length + i * step, step_bytes,\n"
    "        cudaMemcpyHostToDevice, s);\n"
    "}";

/* Was all of the content the same where it was compared? */
static bool
is_compared(enum resent_kind kind)
{

	return kind == RESENT_SAME || kind == RESENT_ALIKE;
}

static bool
is_zeros(const struct resent *r)
{

	return r->kind == RESENT_ALIKE && r->pages > 0 && r->zero_pages == r->pages;
}

static double
equal_part(const struct resent *r)
{

	if (r->kind == RESENT_ALIKE)
		return r->gpu_ns > r->queued_ns ?
		    r->equal_ns / (double)(r->gpu_ns - r->queued_ns) : 1;
	return r->pages > 0 ? (double)r->equal_pages / (double)r->pages : 0;
}

/* The same in words, never rounded up: "all" it is not. */
static const char *
say_equal_part(struct arena *a, const struct resent *r)
{
	double part = equal_part(r);

	return part > 0.99 ? "more than 99 %" : say_percent(a, floor(part * 100) / 100);
}

static void
evidence(struct rule_view *x, struct draft *d, const struct resent *r)
{
	rule_evidence(x, d, "copies", (double)r->count, text[r->kind].label,
	    .measured = "copy records, addresses of their calls",
	    .unit = "copy", .key = "min_count");
	rule_evidence(x, d, "time_ratio", (double)(r->gpu_ns + r->down_ns) *
	    1e-9 / rule_active_s(x->run), r->kind == RESENT_ROUND ?
	    "their time, both ways, part of first to last GPU work" :
	    "their time, part of first to last GPU work",
	    .measured = "copy records", .key = "min_share");
	rule_evidence(x, d, "bytes", (double)r->bytes, "bytes they carry",
	    .measured = "copy records", .unit = "B");
	rule_evidence(x, d, "ranges", (double)r->ranges,
	    "different host ranges", .measured = "addresses of the calls",
	    .unit = "range");
	if (r->comparisons > 0) {
		rule_evidence(x, d, "comparisons", (double)r->comparisons,
		    r->kind == RESENT_ALIKE ?
		    "compared with an earlier one, page by page" :
		    "of them compared with the copy before, page by page",
		    .measured = "the bytes, read at the calls", .unit = "copy");
		rule_evidence(x, d, "equal_ratio", equal_part(r),
		    r->kind == RESENT_ALIKE ?
		    "copies that carried what another did, part of those looked at" :
		    "pages that were the same, part of those compared",
		    .measured = "the bytes, read at the calls");
		return;
	}
	rule_evidence(x, d, "quick_copies", (double)r->quick_count,
	    "of them too soon for the host to have written the range again (a "
	    "core: 16 B/ns; all, after 20 µs: 400 B/ns)",
	    .estimated = "times of the calls", .unit = "copy");
}

/* Are the ranges a ring of buffers, sent in turn without blocking, each followed by a
 * copy back? Whoever keeps several has other data for each turn: a program that only
 * measures leaves them as they are, as one that streams does. */
static bool
is_ring(const struct run *run, const struct resent *r)
{
	double sent = 0;

	if (r->kind == RESENT_ROUND || r->kind == RESENT_SLID ||
	    r->ranges < RING_LEAST ||
	    r->device >= run->devices)
		return false;
	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];

		if (c->memset || c->kind != COPY_H2D || c->device != r->device ||
		    c->bytes < c->count * (uint64_t)SMALL_BYTES)
			continue;
		if (!c->async || c->src != MEMORY_PINNED)
			return false;
		sent += (double)c->count;
	}
	return sent > 0 && (double)run->device[r->device].turns >=
	    2 * RING_TURNS * sent;
}

/* GPU idle time after the host's blocking copies, as far as ${s} seconds of them go. */
static double
idle_after(const struct run *run, double s)
{
	double idle = 0, all = 0;

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];

		if (c->memset || c->async ||
		    (c->kind != COPY_H2D && c->kind != COPY_D2H))
			continue;
		all += (double)c->gpu_ns * 1e-9;
		idle += (double)c->idle_waited_ns * 1e-9;
	}
	return all > 0 ? idle * fmin(1, s / all) : 0;
}

/* Seconds to restore ${count} copies of ${bytes} in all on the device, where the bytes go
 * through DRAM twice. */
static double
restored_s(const struct rule_view *x, const struct resent *r, double count,
    double bytes)
{
	const struct ceilings *c;

	if (r->kind == RESENT_ROUND || r->device >= x->run->devices)
		return 0;
	c = &x->run->device[r->device].ceilings;
	return count * c->launch_gap_s + 2 * bytes / c->dram_bytes_per_s;
}

/* Seconds of copies that a change spares: the least, the likely; ${down}: of the copies
 * to the host before them; ${stays}: of what takes their place. */
struct spared {
	double least, likely, down, stays;
};

static struct spared
spared_of(const struct rule_view *x, const struct resent *r)
{
	struct spared s = { 0 };

	switch (r->kind) {
	case RESENT_SAME:
	case RESENT_ALIKE:
		s.least = s.likely = r->equal_ns * 1e-9;
		s.stays = restored_s(x, r, (double)(r->count - r->queued_count),
		    (double)(r->bytes - r->queued_bytes));
		break;
	case RESENT_PART:
		s.likely = r->equal_ns * 1e-9;
		break;
	case RESENT_SLID:	/* at worst kernels overwrite the window */
		s.likely = r->likely_ns * 1e-9;
		s.least = fmax(0, fmin((double)r->quick_ns * 1e-9, s.likely) -
		    restored_s(x, r, r->likely_count, r->likely_bytes));
		break;
	default:
		s.least = (double)r->quick_ns * 1e-9;
		s.likely = r->likely_ns * 1e-9;
		s.down = fmax((double)r->quick_down_ns, r->likely_down_ns) * 1e-9;
		s.stays = restored_s(x, r, r->likely_count, r->likely_bytes);
		if (r->kind == RESENT_AGAIN)
			s.least = fmin(s.least, s.likely);
		break;
	}
	s.likely = fmax(s.least, s.likely);
	return s;
}

/* What the comparisons told of the bytes, in the words with which a summary begins, whose
 * end a report may leave out. */
static const char *
compared(struct arena *a, const struct resent *r)
{
	const char *pages = say_count(a, r->pages);

	if (r->kind == RESENT_ALIKE)
		return arena_format(a, "all %s copies that were compared carried the same "
		    "%s as an earlier one (%s pages)", say_count(a, r->comparisons),
		    is_zeros(r) ? "zeros" : "bytes", pages);
	if (r->kind == RESENT_PART)
		return arena_format(a, "%s of the bytes were the same each time "
		    "(%s compared, %s pages)", say_equal_part(a, r),
		    say_counted(a, (double)r->comparisons, "copy"), pages);
	if (r->comparisons == 1)
		return arena_format(a, "the copy that was compared carried the "
		    "same bytes as the one before (%s pages)", pages);
	return arena_format(a, "all %s copies that were compared carried the same "
	    "bytes as the one before (%s pages)",
	    say_count(a, r->comparisons), pages);
}

static void
summarise(struct rule_view *x, struct draft *d, const struct resent *r)
{
	const char *again = r->kind == RESENT_SLID ? arena_format(x->arena,
	    "a host range was copied to the same place as one that begins a "
	    "little before it, %s times, %s of it in all the same bytes of host "
	    "memory", say_count(x->arena, r->count), say_bytes(x->arena,
	    (double)r->bytes)) : arena_format(x->arena, "%s %s times, %s in all",
	    r->kind == RESENT_ROUND ? "data that had come from the device was "
	    "copied back" : "host data was copied to the same place again",
	    say_count(x->arena, r->count),
	    say_bytes(x->arena, (double)r->bytes));

	if (r->kind == RESENT_ALIKE)
		d->f.summary = arena_format(x->arena, "%s; such copies, most of them of "
		    "%s, were made %s times, %s in all, to changing addresses",
		    compared(x->arena, r), say_bytes(x->arena, (double)r->size),
		    say_count(x->arena, r->count), say_bytes(x->arena, (double)r->bytes));
	else if (r->comparisons > 0)
		d->f.summary = arena_format(x->arena, "%s; %s",
		    compared(x->arena, r), again);
	else
		d->f.summary = arena_format(x->arena, "%s; %s of them too soon "
		    "for the host to have written all the bytes anew", again,
		    say_count(x->arena, r->quick_count));
}

/* What costs the time, and what the gain assumes. */
static void
explain(struct draft *d, const struct resent *r, bool sure, bool ring)
{

	if ((r->kind == RESENT_PART || r->kind == RESENT_SLID) && sure)
		d->f.limiter = "most of what is copied is there already";
	else if (!sure)
		d->f.limiter = is_compared(r->kind) ? "a loss only if these "
		    "bytes do not stand for others" : "a loss only if the host "
		    "leaves these bytes as they are";
	else if (is_compared(r->kind))
		d->f.limiter = is_zeros(r) ? "the device can write zeros itself" :
		    "the bytes are there already";
	else
		d->f.limiter = "redundant copies, if none of the bytes changed";
	if (sure)
		d->f.gain_note = text[r->kind].note;
	else if (ring)
		d->f.gain_note = "nothing is promised: several buffers that take "
		    "turns, with a copy back after each, are filled anew as a "
		    "rule; if the bytes stay as they are, these copies can go";
	else if (is_compared(r->kind))
		d->f.gain_note = "nothing is promised: what is sent again before it "
		    "was read stands for other data as a rule; if it does not, "
		    "these copies can go";
	else
		d->f.gain_note = "nothing is promised: if the host leaves the "
		    "bytes as they are, these copies can go";
}

/* Where copies were compared: of the size that takes most. Else of the copies of one
 * direction: of lines that copy to the GPU the one in front of which it
 * waits longest, as the host makes there what it copies. */
static void
place(struct rule_view *x, struct draft *d, const struct resent *r)
{
	bool (*is)(const struct site *s) = r->kind == RESENT_ROUND ? lines_reads :
	    lines_feeds;
	const struct site *at = gaps_away(x->arena, x->run, 0, 1, is);

	lines_site(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC));
	lines_site_asked(x, d, is);
	if (at != NULL)
		d->f.site = at;
	if (r->site != NULL && r->site->frames > 0)
		d->f.site = r->site;
}

static void
found(struct rule_view *x, const struct resent *r)
{
	struct draft *d = rule_found(x, arena_format(x->arena, "%s %u",
	    text[r->kind].key, r->device));
	double exposure = rule_copy_exposure(x->run);
	double all = (double)r->gpu_ns * 1e-9 + (double)r->down_ns * 1e-9;
	struct spared s = spared_of(x, r);
	bool ring = is_ring(x->run, r), part = r->kind == RESENT_PART, sure;
	bool slid = r->kind == RESENT_SLID;
	double idle;

	if (ring)
		s.least = s.likely = s.down = 0;
	sure = s.likely > s.stays;
	place(x, d, r);
	d->claim[0] = (struct claim){ POOL_COPY, {
	    0.8 * fmax(0, s.least - s.stays) * exposure,
	    (fmax(0, s.likely - s.stays) + DOWN_SPARED * s.down) * exposure,
	    all * exposure } };
	/* Without the copy the host does not wait for it; what is left of it may take
	 * that wait as well. */
	idle = sure && !part && !slid ? idle_after(x->run, s.likely +
	    DOWN_SPARED * s.down) : 0;
	d->claim[1] = (struct claim){ POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_LAUNCH), { 0.3 * idle, 0.8 * idle, idle } };
	d->claims = 2;
	d->f.where = text[r->kind].what;
	d->f.location = arena_format(x->arena, "%s of %s",
	    say_counted(x->arena, (double)r->count, "copy"),
	    say_counted(x->arena, (double)r->ranges, "range"));
	evidence(x, d, r);
	if (idle > 0)
		rule_evidence(x, d, "idle_after_s", idle, "GPU idle after "
		    "them, their share of what blocking copies leave",
		    .derived = "copy and kernel records");
	d->f.confidence = is_compared(r->kind) || (slid && r->quick_count >=
	    r->count / 2) ? CONF_MEDIUM : CONF_LOW;
	if (part) {
		d->cap = SEV_LOW;
		d->residual = true;	/* what another finding changes of these copies
					 * is surer */
	}
	if (slid) {
		d->f.bad_code = slid_bad;
		d->f.good_code = slid_good;
	}
	summarise(x, d, r);
	explain(d, r, sure, ring);
	d->f.advice = text[r->kind].advice;
	if (is_zeros(r)) {
		d->f.advice = zeros_advice;
		d->f.bad_code = zeros_bad;
		d->f.good_code = zeros_good;
		d->variant = "zeros";
	}
}

/* The copies within one device that are no small ones, which many-small-copies
 * reports. */
struct within {
	double count, bytes, gpu_s, exposed_s;
};

static struct within
within_of(const struct run *run, size_t device)
{
	struct within w = { 0 };

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];
		double gpu = (double)c->gpu_ns * 1e-9;

		if (c->memset || c->kind != COPY_D2D || c->device != device ||
		    c->bytes < c->count * (uint64_t)SMALL_BYTES)
			continue;
		w.count += (double)c->count;
		w.bytes += (double)c->bytes;
		w.gpu_s += gpu;
		w.exposed_s += isfinite(c->exposed_ns) ?
		    fmin(fmax(c->exposed_ns * 1e-9, 0), gpu) : gpu;
	}
	return w;
}

static bool
found_within(struct rule_view *x, size_t device, double active)
{
	struct within w = within_of(x->run, device);
	struct draft *d;

	if (w.count < rule_value(x, "min_count") || !(active > 0) ||
	    w.exposed_s < rule_value(x, "min_within") * active)
		return false;
	d = rule_found(x, arena_format(x->arena, "within %zu", device));
	lines_site(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC));
	d->claim[0] = (struct claim){ POOL_COPY, { 0,
	    WITHIN_SPARED * w.exposed_s, w.exposed_s } };
	d->claims = 1;
	d->f.where = "D2D copies";
	d->f.title = "whole buffers copied within the GPU";
	d->f.location = say_counted(x->arena, w.count, "copy");
	rule_evidence(x, d, "copies", w.count, "large copies within the GPU",
	    .measured = "copy records", .unit = "copy", .key = "min_count");
	rule_evidence(x, d, "within_ratio", w.exposed_s / active,
	    "their time that other work waited for, part of first to last GPU "
	    "work", .derived = "copy records", .key = "min_within");
	rule_evidence(x, d, "bytes", w.bytes, "bytes they carry",
	    .measured = "copy records", .unit = "B");
	d->f.confidence = CONF_LOW;
	d->f.summary = arena_format(x->arena, "%s copies within the GPU move "
	    "%s in %s", say_count(x->arena, (uint64_t)w.count),
	    say_bytes(x->arena, w.bytes), say_seconds(x->arena, w.gpu_s));
	d->f.limiter = "DRAM reads and writes what is there already";
	d->f.advice = "let the kernel write where the data is needed: swap "
	    "pointers in the place of copying back, and append to memory that "
	    "is large enough for all that will come";
	d->f.gain_note = "the copies go, but for what is new in them; nothing "
	    "if what they copy from is overwritten and both are needed";
	return true;
}

enum rule_state
rule_redundant_transfers(struct rule_view *x)
{
	const struct run *run = x->run;
	double active = rule_active_s(run);
	bool any = false;

	for (size_t i = 0; i < run->devices; i++)
		any = found_within(x, i, active) || any;

	for (size_t i = 0; i < run->resents; i++) {
		const struct resent *r = &run->resent[i];

		if ((unsigned)r->kind >= RESENT_KINDS ||
		    ((double)r->count < rule_value(x, "min_count") &&
		    !(r->likely_count > 0) &&
		    !(r->kind == RESENT_SAME && r->equal_ns > 0)) ||
		    !(active > 0) ||
		    ((double)r->gpu_ns + (double)r->down_ns) * 1e-9 <
		    rule_value(x, "min_share") * active)
			continue;
		found(x, r);
		any = true;
	}
	if (any)
		return RULE_FOUND;
	/* Copies of arrays, rows and boxes have no address, either. */
	if (run->copies_unlocated > run->copies_located)
		return rule_unmeasured(x, REASON_NO_ADDRESSES);
	return run->copies_untracked > run->copies_located / 2 ?
	    rule_unmeasured(x, REASON_MANY_PLACES) : RULE_CLEAN;
}
