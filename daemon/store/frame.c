/* The frame index of a capture: rows of 48 bytes, little-endian, in chunks. A reader
 * holds one chunk at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/capture.h"
#include "store/internal.h"
#include "wire/le.h"

#define ROW 48
#define ROWS 4096		/* per chunk: 192 KiB; as in schema.c */

static int64_t
clamp(uint64_t ns)
{

	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static void
pack(uint8_t *p, const struct capture_frame *f)
{

	le64_put(p, f->offset);
	le64_put(p + 8, f->stream);
	le64_put(p + 16, f->sequence);
	le32_put(p + 24, f->stored);
	le32_put(p + 28, f->records);
	le64_put(p + 32, f->t_min);
	le64_put(p + 40, f->t_max);
}

static struct capture_frame
unpack(const uint8_t *p)
{

	return (struct capture_frame){ le64_get(p), le64_get(p + 8),
	    le64_get(p + 16), le32_get(p + 24), le32_get(p + 28),
	    le64_get(p + 32), le64_get(p + 40) };
}

/* Store the chunk that begins with frame ${first}. */
static enum store_status
put_piece(struct store *s, sqlite3_stmt *q, const struct capture_index *x,
    size_t first, uint8_t *buf, struct error *e)
{
	size_t n = x->frames - first < ROWS ? x->frames - first : ROWS, i;
	const struct capture_frame *f = x->frame + first;
	uint64_t from = UINT64_MAX, to = 0;
	enum store_status st;

	for (i = 0; i < n; i++) {
		pack(buf + i * ROW, &f[i]);
		if (f[i].t_min == 0)
			continue;
		if (f[i].t_min < from)
			from = f[i].t_min;
		if (f[i].t_max > to)
			to = f[i].t_max;
	}
	sqlite3_bind_int64(q, 2, (int64_t)(first / ROWS));
	sqlite3_bind_int64(q, 3, clamp(from));
	sqlite3_bind_int64(q, 4, clamp(to));
	sqlite3_bind_blob64(q, 5, buf, n * ROW, SQLITE_STATIC);
	st = sqlite3_step(q) == SQLITE_DONE ? STORE_OK :
	    store_fail(s, e, "store the run");
	sqlite3_reset(q);
	return st;
}

enum store_status
store_put_frames(struct store *s, int64_t number,
    const struct capture_index *x, struct error *e)
{
	uint8_t *buf = malloc(ROWS * ROW);
	enum store_status st;
	sqlite3_stmt *q = NULL;
	size_t i;

	if (buf == NULL) {
		error_memory(e);
		return STORE_FAILED;
	}
	st = store_execute(s, e, "DELETE FROM frame_chunk WHERE run = ?", "i",
	    number);
	if (st == STORE_OK && (q = store_query(s, e, "INSERT INTO frame_chunk "
	    "(run, chunk, first_ns, last_ns, frame) VALUES (?, ?, ?, ?, ?)",
	    "i", number)) == NULL)
		st = STORE_FAILED;
	for (i = 0; i < x->frames && st == STORE_OK; i += ROWS)
		st = put_piece(s, q, x, i, buf, e);
	sqlite3_finalize(q);
	free(buf);
	return st;
}

/* The state of store_frames. */
struct taking {
	const struct store_frames *want;
	struct capture_index *x;
	size_t cap;
	uint64_t records;
	bool begun, full;
};

static bool
holds(const struct capture_frame *f, const struct store_frames *w)
{

	return f->stream == w->stream && w->sequence >= f->sequence &&
	    w->sequence - f->sequence < f->records;
}

static int
take(struct taking *t, const struct capture_frame *f)
{
	struct capture_frame *grown;
	size_t more = t->cap == 0 ? 64 : 2 * t->cap;

	if (!t->begun && !(t->begun = holds(f, t->want)))
		return 0;
	if (f->t_min == 0 ? t->want->from > 0 : f->t_min >= t->want->to ||
	    f->t_max < t->want->from)
		return 0;
	if (t->x->frames == t->cap) {
		grown = realloc(t->x->frame, more * sizeof(*grown));
		if (grown == NULL)
			return -1;
		t->x->frame = grown;
		t->cap = more;
	}
	t->x->frame[t->x->frames++] = *f;
	t->records += f->records;
	t->full = t->records > t->want->records;
	return 0;
}

static enum store_status
read_pieces(struct store *s, sqlite3_stmt *q, struct taking *t,
    struct error *e)
{
	const uint8_t *p;
	struct capture_frame f;
	size_t n;
	int rc = SQLITE_DONE;

	while (!t->full && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		p = sqlite3_column_blob(q, 0);
		n = (size_t)sqlite3_column_bytes(q, 0) / ROW;
		for (; p != NULL && n > 0 && !t->full; n--, p += ROW) {
			f = unpack(p);
			if (take(t, &f) != 0) {
				error_memory(e);
				return STORE_FAILED;
			}
		}
	}
	if (!t->full && rc != SQLITE_DONE)
		return store_fail(s, e, "read the database");
	return t->begun ? STORE_OK : STORE_NONE;
}

enum store_status
store_frames(struct store *s, int64_t number, const struct store_frames *want,
    struct capture_index *x, struct error *e)
{
	struct taking t = { .want = want, .x = x, .begun = !want->after };
	enum store_status st = STORE_FAILED;
	sqlite3_stmt *q;

	pthread_mutex_lock(&s->lock);
	q = store_query(s, e, "SELECT frame FROM frame_chunk WHERE run = ? "
	    "AND first_ns <= ? AND last_ns >= ? ORDER BY chunk", "iii", number,
	    clamp(want->to), clamp(want->from));
	if (q != NULL)
		st = read_pieces(s, q, &t, e);
	sqlite3_finalize(q);
	pthread_mutex_unlock(&s->lock);
	return st;
}
