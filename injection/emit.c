#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "wire/frame.h"

#include "emit.h"

#define STRING_SLOTS (1u << 17)		/* twice the 65,536 strings that are allowed */
#define STRING_MAX 65536u

static struct {
	pthread_mutex_t lock;
	struct emit_frame *current;	/* being filled */
	uint32_t records;		/* in ${current} */
	struct emit_frame *head, **tail;/* full frames */
	size_t bytes;			/* of full frames */
	struct emit_frame *spare;	/* one frame kept for reuse */
	uint64_t stream, sequence;
	_Atomic uint64_t lost[LOSS_CLASSES];
	uint64_t lost_sent[LOSS_CLASSES];
	bool fresh;			/* the frame was empty at emit_begin */
	uint64_t *string;	/* hashes of texts; used by the sender thread only */
	uint32_t *string_id;
	uint32_t strings;
} emit = { .lock = PTHREAD_MUTEX_INITIALIZER };

void
emit_init(uint64_t stream)
{

	emit.stream = stream;
	emit.tail = &emit.head;
	emit.string = calloc(STRING_SLOTS, sizeof(*emit.string));
	emit.string_id = calloc(STRING_SLOTS, sizeof(*emit.string_id));
}

static struct emit_frame *
frame_new(void)
{
	struct emit_frame *f = emit.spare;

	emit.spare = NULL;
	if (f == NULL && (f = malloc(sizeof(*f) + EMIT_FRAME_SIZE)) == NULL)
		return NULL;
	f->next = NULL;
	f->first = f->end = emit.sequence;
	f->size = FRAME_HEADER_SIZE;
	return f;
}

/* Queue the current frame. Call with the lock held. */
static void
frame_close(void)
{
	struct emit_frame *f = emit.current;

	if (f == NULL || emit.records == 0)
		return;
	f->end = emit.sequence;
	*emit.tail = f;
	emit.tail = &f->next;
	emit.bytes += f->size;
	emit.current = NULL;
	emit.records = 0;
}

/* Not under the lock: the checksum takes longer than encoding the records. */
static void
frame_finish(struct emit_frame *f)
{
	struct frame_header h = { 0 };

	h.stored = h.raw = (uint32_t)(f->size - FRAME_HEADER_SIZE);
	h.stream = emit.stream;
	h.sequence = f->first;
	h.records = (uint32_t)(f->end - f->first);
	frame_seal(f->data, &h);
}

uint8_t *
emit_begin(size_t *cap)
{

	pthread_mutex_lock(&emit.lock);
	if (emit.tail == NULL || emit.bytes > EMIT_MAX_BYTES ||
	    (emit.current == NULL && (emit.current = frame_new()) == NULL)) {
		pthread_mutex_unlock(&emit.lock);
		emit_lost(LOSS_QUEUE, 1);
		return NULL;
	}
	emit.fresh = emit.records == 0;
	*cap = EMIT_FRAME_SIZE - emit.current->size;
	return emit.current->data + emit.current->size;
}

int
emit_end(size_t used)
{
	int again = 0;

	if (used > 0) {
		emit.current->size += used;
		emit.records++;
		emit.sequence++;
		/* HELLO has a frame of its own, because it is sent again at every
		 * reconnection. */
		if (emit.sequence == 1)
			frame_close();
	} else if (!emit.fresh) {
		frame_close();
		again = 1;
	} else {
		atomic_fetch_add(&emit.lost[LOSS_QUEUE], 1);
	}
	pthread_mutex_unlock(&emit.lock);
	return again;
}

bool
emit_pressed(void)
{
	bool pressed;

	pthread_mutex_lock(&emit.lock);
	pressed = emit.bytes > EMIT_MAX_BYTES / 2;
	pthread_mutex_unlock(&emit.lock);
	return pressed;
}

void
emit_lost(enum wire_loss class, uint64_t n)
{

	atomic_fetch_add_explicit(&emit.lost[class], n, memory_order_relaxed);
}

void
emit_losses(uint64_t now_ns)
{
	unsigned i;

	for (i = 0; i < LOSS_CLASSES; i++) {
		uint64_t n = atomic_load(&emit.lost[i]);
		struct record_LOSS r = { .class = i, .now_ns = now_ns,
		    .count = n - emit.lost_sent[i] };

		if (r.count == 0)
			continue;
		EMIT(LOSS, &r);
		emit.lost_sent[i] = n;
	}
}

uint32_t
emit_string(const char *text)
{
	struct record_STRING r;
	uint64_t h;
	uint32_t i;
	size_t cap, n;
	uint8_t *p;
	int tries = 0;

	if (text == NULL || *text == '\0' || emit.string == NULL ||
	    emit.string_id == NULL)
		return 0;
	r.text = wire_str_of(text);
	if ((h = XXH64(text, r.text.len, 0)) == 0)
		h = 1;
	for (i = (uint32_t)h & (STRING_SLOTS - 1); emit.string[i] != 0;
	    i = (i + 1) & (STRING_SLOTS - 1))
		if (emit.string[i] == h)
			return emit.string_id[i];
	if (emit.strings >= STRING_MAX) {
		emit_lost(LOSS_TABLE, 1);
		return 0;
	}
	/* Unlike EMIT, this has to notice if the record is lost: otherwise its id would
	 * be used without ever having a text. */
	r.id = emit.strings + 1;
	do {
		if ((p = emit_begin(&cap)) == NULL)
			return 0;
		n = record_put_STRING(p, cap, &r);
	} while (emit_end(n) != 0 && tries++ == 0);
	emit.string[i] = h;
	return emit.string_id[i] = ++emit.strings;
}

struct emit_frame *
emit_take(int seal)
{
	struct emit_frame *all, *f;

	pthread_mutex_lock(&emit.lock);
	if (seal)
		frame_close();
	all = emit.head;
	emit.head = NULL;
	emit.tail = &emit.head;
	emit.bytes = 0;
	pthread_mutex_unlock(&emit.lock);
	for (f = all; f != NULL; f = f->next)
		frame_finish(f);
	return all;
}

void
emit_release(struct emit_frame *f)
{

	pthread_mutex_lock(&emit.lock);
	if (emit.spare == NULL) {
		emit.spare = f;
		f = NULL;
	}
	pthread_mutex_unlock(&emit.lock);
	free(f);
}

uint64_t
emit_count(void)
{

	return emit.sequence;
}

uint64_t
emit_lost_total(void)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i < LOSS_CLASSES; i++)
		n += atomic_load(&emit.lost[i]);
	return n;
}

void
emit_fork_child(void)
{

	/* A thread of the parent may have held the lock at the fork. */
	pthread_mutex_init(&emit.lock, NULL);
	emit.tail = NULL;
}
