#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "call_site.h"
#include "emit.h"
#include "inject.h"
#include "mapping.h"
#include "python.h"
#include "seen.h"
#include "workers.h"

#define SITES 4096		/* most call sites of all kinds */
#define CALL_SITES 768		/* most sites of calls other than launches */
#define KIND_SITES 192		/* most sites of one such kind */
#define SEEN_SITES 1536		/* most sites at which no call was made */
#define SLOTS (2 * SITES)
#define ARENA (12u << 20)	/* bytes for stacks; pages are touched as they fill */
#define OWN_DEPTH 16		/* most frames of this library and CUPTI at the top
				 * of a stack */
#define HASHED 8		/* native frames that tell call sites apart */
#define SAMPLES_EACH 64		/* stacks of a kind that are taken before they become
				 * rarer */
#define SAMPLES 512		/* stacks of a kind in all */
#define STACKS 8		/* threads that unwind at the same time */
#define GRACE_NS 50000000ull	/* may be spent in any case */
#define SHARE 100		/* and one part in this many of the run */
#define AWAY_SHARE 500		/* the same, for stacks behind which the host was away */

struct call_site_kind call_site_kind[CALL_COUNT];
_Atomic uint64_t call_site_last_ns;

/* One call site: a distinct stack. */
struct call_site {
	uint64_t hash;
	uint64_t count, sent;	/* calls that its stacks stand for; the count that the
				 * daemon has */
	bool known;		/* by the daemon */
	const struct signature *signature;	/* of a launch; NULL for other calls */
	uint32_t kind, tid;
	uint32_t frames, python;
	uint32_t at;		/* offset in the arena: addresses, then Python text */
};

/* The stack of one callback. Static, because it is too large for a thread with a small
 * stack. */
struct stack {
	atomic_flag taken;
	uint64_t frame[CALL_SITE_FRAMES];
	size_t frames;
	size_t outside;		/* index of the first frame outside the driver */
	char python[CALL_SITE_PYTHON];
	size_t text;
};

struct range {
	uintptr_t start, end;
};

static struct {
	bool on;
	unsigned launches;	/* stacks to take of each signature */
	struct range own, cupti, driver;
	pthread_mutex_t lock;	/* held only while memory is copied */
	struct stack stack[STACKS];
	struct call_site *all;
	uint32_t count, others;
	uint16_t kind_count[CALL_COUNT];
	uint16_t slot[SLOTS];	/* hash table: index + 1 */
	uint8_t *arena;
	uint32_t used;
	_Atomic bool news;
	_Atomic uint64_t spent_ns;
	_Atomic uint64_t samples[CALL_COUNT];
	_Atomic uint64_t away_ns, aways;	/* of which no record tells yet */
	_Atomic uint64_t away_spent_ns;
} site = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct {
	bool inside;
	uint64_t spent_ns;
} self;

static uint64_t
monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

/* --- at the start -------------------------------------------------------- */

/* Extends ${cookie}, a range, to the whole loaded object that contains its start. */
static int
find_object(struct dl_phdr_info *o, size_t size, void *cookie)
{
	struct range *r = cookie;
	uintptr_t low = UINTPTR_MAX, high = 0, a;
	int i;

	(void)size;
	for (i = 0; i < o->dlpi_phnum; i++) {
		if (o->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		a = o->dlpi_addr + o->dlpi_phdr[i].p_vaddr;
		low = a < low ? a : low;
		a += o->dlpi_phdr[i].p_memsz;
		high = a > high ? a : high;
	}
	if (r->start < low || r->start >= high)
		return 0;
	*r = (struct range){ low, high };
	return 1;
}

static struct range
range_of(uintptr_t address)
{
	struct range r = { address, 0 };

	if (address == 0 || dl_iterate_phdr(find_object, &r) == 0)
		return (struct range){ 0, 0 };
	return r;
}

static bool
in_range(uint64_t address, const struct range *r)
{

	return address > r->start && address <= r->end;
}

void
call_site_init(void)
{
	const char *v = getenv("CUDADVISE_SITES");
	void *frame[2], *p;
	size_t i;

	for (i = 0; i < CALL_COUNT; i++)
		atomic_store(&call_site_kind[i].next, CALL_SITE_NEVER);
	if (!level_profiles(inject.level) ||
	    (v != NULL && strcmp(v, "0") == 0))
		return;
	/* Loads libgcc_s the first time. */
	if (backtrace(frame, 2) == 0)
		return;
	p = mmap(NULL, ARENA + SITES * sizeof(*site.all), PROT_READ |
	    PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return;
	site.all = p;
	site.arena = (uint8_t *)p + SITES * sizeof(*site.all);
	site.launches = level_keeps_sources(inject.level) ? 8 : 2;
	site.own = range_of((uintptr_t)call_site_init);
	site.cupti = range_of((uintptr_t)inject.api.cuptiGetVersion);
	site.driver = range_of((uintptr_t)inject.api.cuGetErrorName);
	python_find();
	for (i = 0; i < CALL_COUNT; i++)
		atomic_store(&call_site_kind[i].next, 0);
	site.on = true;
}

/* --- in a callback ------------------------------------------------------- */

static bool
unwind(struct stack *s)
{
	void *frame[CALL_SITE_FRAMES + OWN_DEPTH];
	int n = backtrace(frame, CALL_SITE_FRAMES + OWN_DEPTH), i, own = 0;

	/* The first frames can belong to another library that interposes backtrace():
	 * look for the last of our frames. */
	for (i = 0; i < n && i < OWN_DEPTH; i++)
		if (in_range((uintptr_t)frame[i], &site.own) ||
		    in_range((uintptr_t)frame[i], &site.cupti))
			own = i + 1;
	for (i = own, s->frames = 0; i < n && s->frames < CALL_SITE_FRAMES; i++)
		s->frame[s->frames++] = (uintptr_t)frame[i];
	for (s->outside = 0; s->outside < s->frames && in_range(
	    s->frame[s->outside], &site.driver); s->outside++)
		;
	s->text = python_frames(s->python, sizeof(s->python));
	if (s->text > 0)
		seen_watch(s->python, s->text);
	return s->frames > 0 || s->text > 0;
}

/* Whether there is budget left: the allowance, and a share of the run so far. */
static bool
affordable(void)
{
	uint64_t spent = atomic_load_explicit(&site.spent_ns,
	    memory_order_relaxed);

	return spent < GRACE_NS ||
	    spent - GRACE_NS < (inject_now() - inject.begin_ns) / SHARE;
}

/* Under Python only the Python frames identify the site: the native frames between them
 * and the call change when the interpreter specialises code. */
static uint64_t
stack_hash(const struct stack *s, uint32_t kind, uint64_t key)
{
	size_t n = s->frames - s->outside;

	key = key << 8 | kind;
	if (s->text > 0)
		return XXH64(s->python, s->text, key);
	return XXH64(s->frame + s->outside, (n < HASHED ? n : HASHED) *
	    sizeof(s->frame[0]), key);
}

static struct call_site *
find_site(uint64_t hash, uint32_t *slot)
{
	uint32_t i = (uint32_t)hash & (SLOTS - 1);

	for (; site.slot[i] != 0; i = (i + 1) & (SLOTS - 1))
		if (site.all[site.slot[i] - 1].hash == hash)
			return &site.all[site.slot[i] - 1];
	*slot = i;
	return NULL;
}

static bool
has_room(uint32_t kind, size_t need)
{

	if (site.count == SITES || need > ARENA - site.used)
		return false;
	if (kind == CALL_NONE)
		return site.kind_count[kind] < SEEN_SITES;
	return kind == CALL_LAUNCH || (site.others < CALL_SITES &&
	    site.kind_count[kind] < KIND_SITES);
}

/* Count the stack, which stands for ${calls}; store it if it is new. Returns its site's
 * number, or 0 if there is no room. */
static uint32_t
note(const struct stack *s, uint32_t kind, const struct signature *sig,
    uint64_t calls, uint32_t tid)
{
	uint64_t hash = stack_hash(s, kind, sig != NULL ? sig->id : 0);
	size_t frames = s->frames * sizeof(s->frame[0]);
	size_t need = (frames + s->text + 7) & ~(size_t)7;
	struct call_site *p;
	uint32_t slot = 0, number;

	pthread_mutex_lock(&site.lock);
	if ((p = find_site(hash, &slot)) != NULL) {
		p->count += calls;
	} else if (has_room(kind, need)) {
		p = &site.all[site.count++];
		*p = (struct call_site){ .hash = hash, .count = calls, .kind = kind,
		    .signature = sig, .tid = tid, .at = site.used,
		    .frames = (uint32_t)s->frames,
		    .python = (uint32_t)s->text };
		memcpy(site.arena + p->at, s->frame, frames);
		memcpy(site.arena + p->at + frames, s->python, s->text);
		site.used += (uint32_t)need;
		site.slot[slot] = (uint16_t)site.count;
		site.others += kind != CALL_LAUNCH && kind != CALL_NONE;
		site.kind_count[kind]++;
	}
	number = p != NULL ? (uint32_t)(p - site.all) + 1 : 0;
	pthread_mutex_unlock(&site.lock);
	atomic_store_explicit(&site.news, true, memory_order_release);
	return number;
}

static struct stack *
stack_take(void)
{
	size_t i;

	for (i = 0; i < STACKS; i++)
		if (!atomic_flag_test_and_set_explicit(&site.stack[i].taken,
		    memory_order_acquire))
			return &site.stack[i];
	return NULL;
}

static void
stack_give(struct stack *s)
{

	atomic_flag_clear_explicit(&s->taken, memory_order_release);
}

/* Take the stack of this call, which stands for ${calls}, unless another thread was
 * faster: *${next} changes from ${now} to ${then}. */
static bool
look(_Atomic uint64_t *next, uint64_t now, uint64_t then, uint32_t kind,
    const struct signature *sig, uint64_t calls)
{
	uint64_t begin = monotonic(), ns;
	struct stack *s = stack_take();
	int saved = errno;

	if (s == NULL)
		return false;
	if (!atomic_compare_exchange_strong(next, &now, then)) {
		stack_give(s);
		return false;
	}
	self.inside = true;
	if (unwind(s))
		note(s, kind, sig, calls, inject_tid());
	stack_give(s);
	ns = monotonic() - begin;
	self.spent_ns += ns;
	atomic_fetch_add_explicit(&site.spent_ns, ns, memory_order_relaxed);
	self.inside = false;
	errno = saved;
	return true;
}

/* The number of the call to take the next stack of, after call ${n}: ${stride} calls
 * later on average, at pseudo-random distances, so that the samples do not fall into
 * step with a loop of the program. */
static uint64_t
next_after(uint64_t n, uint64_t stride)
{

	return stride <= 1 ? n + 1 :
	    n + 1 + XXH64(&n, sizeof(n), stride) % (2 * stride - 1);
}

/* The mean distance to the next call whose stack is taken, after ${samples} stacks. */
static uint64_t
stride(uint64_t samples)
{

	return (uint64_t)1 << samples / SAMPLES_EACH;
}

void
call_site_look_launch(struct signature *s, uint64_t launch)
{
	uint64_t next = atomic_load_explicit(&s->site_next,
	    memory_order_relaxed), then;
	uint32_t looks;

	if (!site.on || self.inside) {
		if (!site.on)
			atomic_store(&s->site_next, CALL_SITE_NEVER);
		return;
	}
	/* Over budget: the next launch tries again. */
	if (!affordable())
		return;
	looks = atomic_load_explicit(&s->site_looks, memory_order_relaxed) + 1;
	then = looks >= site.launches ? CALL_SITE_NEVER : looks < 2 ? launch :
	    next_after(launch, (uint64_t)1 << 2 * looks);
	if (look(&s->site_next, next, then, CALL_LAUNCH, s, 1))
		atomic_store_explicit(&s->site_looks, looks,
		    memory_order_relaxed);
}

void
call_site_look_other(uint16_t call)
{
	struct call_site_kind *k = &call_site_kind[call];
	uint64_t n = atomic_fetch_add_explicit(&k->seen, 1,
	    memory_order_relaxed), then, samples;
	uint64_t next = atomic_load_explicit(&k->next, memory_order_relaxed);

	if (!site.on || n < next || next == CALL_SITE_NEVER || self.inside ||
	    !affordable())
		return;
	samples = atomic_load_explicit(&site.samples[call],
	    memory_order_relaxed) + 1;
	then = samples >= SAMPLES ? CALL_SITE_NEVER :
	    next_after(n, stride(samples));
	/* It stands for the calls since the one before, else set-up, whose every call
	 * has its stack taken, would outweigh a loop. */
	if (look(&k->next, next, then, call, NULL, stride(samples - 1)))
		atomic_store_explicit(&site.samples[call], samples,
		    memory_order_relaxed);
}

/* Whether there is budget left for such a stack. Without a signature a launch has no
 * site. */
static bool
away_affordable(uint16_t call, const struct signature *sig, uint64_t now)
{
	uint64_t spent = atomic_load_explicit(&site.away_spent_ns,
	    memory_order_relaxed);

	return site.on && !self.inside && call < CALL_COUNT &&
	    (call != CALL_LAUNCH || sig != NULL) && (spent < GRACE_NS ||
	    spent - GRACE_NS < (now - inject.begin_ns) / AWAY_SHARE);
}

void
call_site_look_away(uint16_t call, const struct signature *sig, uint64_t last,
    uint64_t now)
{
	struct record_AWAY r = { .tid = inject_tid(), .start_ns = last, .end_ns = now };
	struct workers w;
	uint64_t begin, ns;
	struct stack *s;
	int saved = errno;

	atomic_fetch_add_explicit(&site.away_ns, now - last, memory_order_relaxed);
	atomic_fetch_add_explicit(&site.aways, 1, memory_order_relaxed);
	if (!away_affordable(call, sig, now) || (s = stack_take()) == NULL)
		return;
	begin = monotonic();
	self.inside = true;
	if (unwind(s))
		r.site = note(s, call, sig, 0, r.tid);
	if (s->text > 0) {
		w = workers_count();
		r.workers = w.count;
		r.processors = w.processors;
		r.working = w.working;
	}
	stack_give(s);
	if (r.site != 0) {
		r.total_ns = atomic_exchange(&site.away_ns, 0);
		r.count = atomic_exchange(&site.aways, 0);
		EMIT(AWAY, &r);
	}
	ns = monotonic() - begin;
	self.spent_ns += ns;
	atomic_fetch_add_explicit(&site.spent_ns, ns, memory_order_relaxed);
	atomic_fetch_add_explicit(&site.away_spent_ns, ns, memory_order_relaxed);
	self.inside = false;
	errno = saved;
}

uint32_t
call_site_here(uint16_t call)
{
	uint64_t begin = monotonic(), ns;
	uint32_t number = 0;
	struct stack *s;
	int saved = errno;

	if (!site.on || self.inside || call >= CALL_COUNT || !affordable() ||
	    (s = stack_take()) == NULL)
		return 0;
	self.inside = true;
	if (unwind(s))
		number = note(s, call, NULL, 0, inject_tid());
	stack_give(s);
	ns = monotonic() - begin;
	self.spent_ns += ns;
	atomic_fetch_add_explicit(&site.spent_ns, ns, memory_order_relaxed);
	self.inside = false;
	errno = saved;
	return number;
}

uint32_t
call_site_seen(const char *text, size_t len, uint32_t tid)
{
	static struct stack s;	/* of one thread */

	if (!site.on || len > sizeof(s.python))
		return 0;
	memcpy(s.python, text, len);
	s.text = len;
	return note(&s, CALL_NONE, NULL, 0, tid);
}

uint64_t
call_site_spent(void)
{

	return self.spent_ns;
}

uint64_t
call_site_cost(void)
{

	return atomic_load_explicit(&site.spent_ns, memory_order_relaxed);
}

/* --- on the sender thread ---------------------------------------------- */

/* A copy of a call site, taken under the lock, to be sent without it. */
struct sending {
	struct call_site site;
	uint64_t frame[CALL_SITE_FRAMES];
	char python[CALL_SITE_PYTHON];
	bool held;		/* some sites wait until their SIGNATURE is sent */
};

/* Copies site ${i} into ${out} if the daemon lacks it, or its count is outdated. */
static bool
take(uint32_t i, bool final, struct sending *out)
{
	struct call_site *p = &site.all[i];
	size_t n = p->frames * sizeof(out->frame[0]);

	/* A count is sent again when it has doubled: a process that is killed sends no
	 * final counts. */
	if (p->known && (p->count == p->sent || (p->count < 2 * p->sent && !final)))
		return false;
	if (p->signature != NULL && !atomic_load(&p->signature->announced)) {
		out->held = true;
		return false;
	}
	p->sent = p->count;
	p->known = true;
	out->site = *p;
	memcpy(out->frame, site.arena + p->at, n);
	memcpy(out->python, site.arena + p->at + n, p->python);
	return true;
}

static void
emit_site(const struct sending *s, uint32_t number)
{
	const struct call_site *p = &s->site;
	struct record_SITE r = { .kind = p->kind, .tid = p->tid,
	    .count = p->count, .number = number,
	    .python = { s->python, p->python } };

	if (p->signature != NULL)
		r.key = p->signature->id;
	r.frames.p = (const uint8_t *)s->frame;
	r.frames.len = (uint32_t)(p->frames * sizeof(s->frame[0]));
	EMIT(SITE, &r);
}

void
call_site_send(bool final)
{
	struct sending s = { .held = false };
	bool more = true;
	uint32_t i;

	if (!site.on || (!atomic_exchange(&site.news, false) && !final))
		return;
	for (i = 0; more; i++) {
		pthread_mutex_lock(&site.lock);
		while (i < site.count && !take(i, final, &s))
			i++;
		more = i < site.count;
		pthread_mutex_unlock(&site.lock);
		if (!more)
			break;
		mapping_send(s.frame, s.site.frames);
		emit_site(&s, i + 1);
	}
	if (s.held)
		atomic_store(&site.news, true);
}
