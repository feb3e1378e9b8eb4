#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/sort.h"
#include "capture/capture.h"
#include "capture/own_records.h"
#include "capture/frame_file.h"
#include "capture/symbol.h"
#include "capture/symbol_ask.h"
#include "wire/le.h"
#include "wire/record.h"

#define SLOTS (2 * SYMBOL_ADDRESSES)
#define PROCESSES 4096u
#define PATH_BYTES (16u << 20)	/* of all paths */
#define PATH_LONGEST 4095u
#define BUILD_ID_LONGEST 64u

/* A return address in a process. */
struct address {
	uint64_t stream, address;
};

struct symbol_process {
	uint64_t stream, start_ns;
};

struct mapped_file {
	uint64_t stream, start, end, offset;
	uint32_t id;
	uint32_t order;		/* if mappings overlap, the later one counts */
	char *path;
	uint8_t build_id[BUILD_ID_LONGEST];
	uint32_t build_id_len;
};

struct symbols {
	struct address slot[SLOTS];	/* address 0: free */
	uint32_t addresses;
	struct symbol_process *process;
	struct mapped_file *mapping;
	uint32_t processes, process_cap, mappings, mapping_cap;
	size_t path_bytes;
};

/* --- collecting -------------------------------------------------------------- */

static int
grow(void *array, uint32_t *cap, uint32_t count, uint32_t max, size_t size)
{
	uint32_t want = *cap == 0 ? 64 : 2 * *cap;
	void *old, *p;

	if (count < *cap)
		return 0;
	want = want > max ? max : want;
	memcpy(&old, array, sizeof(old));
	if ((p = realloc(old, want * size)) == NULL)
		return -1;
	memcpy(array, &p, sizeof(p));
	*cap = want;
	return 0;
}

static int
note_process(struct symbols *y, uint64_t stream, const struct record_HELLO *r)
{

	if (y->processes == PROCESSES)
		return 0;
	if (grow(&y->process, &y->process_cap, y->processes, PROCESSES,
	    sizeof(*y->process)) != 0)
		return -1;
	y->process[y->processes++] = (struct symbol_process){ stream,
	    r->start_ns != 0 ? r->start_ns : r->now_ns };
	return 0;
}

static int
note_mapping(struct symbols *y, uint64_t stream,
    const struct record_MAPPING *r)
{
	struct mapped_file *m;

	if (y->mappings == SYMBOL_MAPPINGS || r->end <= r->start ||
	    r->path.len == 0 || r->path.len > PATH_LONGEST ||
	    r->path.p[0] != '/' ||
	    memchr(r->path.p, '\0', r->path.len) != NULL ||
	    r->build_id.len > BUILD_ID_LONGEST ||
	    y->path_bytes + r->path.len > PATH_BYTES)
		return 0;
	if (grow(&y->mapping, &y->mapping_cap, y->mappings, SYMBOL_MAPPINGS,
	    sizeof(*y->mapping)) != 0)
		return -1;
	m = &y->mapping[y->mappings];
	*m = (struct mapped_file){ .stream = stream, .start = r->start,
	    .end = r->end, .offset = r->offset, .id = r->id,
	    .order = y->mappings, .build_id_len = r->build_id.len };
	if ((m->path = strndup(r->path.p, r->path.len)) == NULL)
		return -1;
	if (r->build_id.len > 0)
		memcpy(m->build_id, r->build_id.p, r->build_id.len);
	y->path_bytes += r->path.len;
	y->mappings++;
	return 0;
}

static void
note_address(struct symbols *y, uint64_t stream, uint64_t address)
{
	uint32_t i = (uint32_t)hash_u64(hash_u64(stream) + address) % SLOTS;

	if (address == 0)
		return;
	for (; y->slot[i].address != 0; i = (i + 1) % SLOTS)
		if (y->slot[i].address == address &&
		    y->slot[i].stream == stream)
			return;
	if (y->addresses == SYMBOL_ADDRESSES)
		return;
	y->slot[i] = (struct address){ stream, address };
	y->addresses++;
}

int
symbols_note(struct symbols **y, uint64_t stream, const struct record *r)
{
	uint32_t i;

	if (r->type != RECORD_HELLO && r->type != RECORD_MAPPING &&
	    r->type != RECORD_SITE)
		return 0;
	if (*y == NULL && (*y = calloc(1, sizeof(**y))) == NULL)
		return -1;
	if (r->type == RECORD_HELLO)
		return note_process(*y, stream, &r->u.HELLO);
	if (r->type == RECORD_MAPPING)
		return note_mapping(*y, stream, &r->u.MAPPING);
	for (i = 0; i < r->u.SITE.frames.len / 8; i++)
		note_address(*y, stream, le64_get(r->u.SITE.frames.p + 8 * i));
	return 0;
}

void
symbols_free(struct symbols *y)
{
	uint32_t i;

	if (y == NULL)
		return;
	for (i = 0; i < y->mappings; i++)
		free(y->mapping[i].path);
	free(y->mapping);
	free(y->process);
	free(y);
}

/* --- looking up -------------------------------------------------------------- */

COMPARE(by_place, struct mapped_file,
    ORDER(x->stream, y->stream) ?: ORDER(x->start, y->start) ?:
    ORDER(x->order, y->order))

/* The mapping that contains a return address. The call is before that address, so it
 * looks at the byte before. */
static const struct mapped_file *
mapped_file_of(const struct symbols *y, const struct address *a)
{
	uint64_t at = a->address - 1;
	const struct mapped_file *m = y->mapping;
	size_t low = FIRST_NOT(mid, 0, y->mappings, m[mid].stream < a->stream ||
	    (m[mid].stream == a->stream && m[mid].start <= at));

	if (low == 0)
		return NULL;
	m += low - 1;
	return m->stream == a->stream && at < m->end ? m : NULL;
}

/* When the process started: a file that it mapped existed by then. */
static uint64_t
start_of(const struct symbols *y, uint64_t stream)
{
	uint32_t i;

	for (i = 0; i < y->processes; i++)
		if (y->process[i].stream == stream)
			return y->process[i].start_ns;
	return 1;		/* unknown: only a build id can identify the file */
}

static size_t
wants_of(struct symbols *y, struct symbol_want *w)
{
	const struct mapped_file *m;
	size_t n = 0;
	uint32_t i;

	qsort(y->mapping, y->mappings, sizeof(*y->mapping), by_place);
	for (i = 0; i < SLOTS; i++) {
		if (y->slot[i].address == 0 ||
		    (m = mapped_file_of(y, &y->slot[i])) == NULL)
			continue;
		w[n++] = (struct symbol_want){ .address = y->slot[i].address,
		    .process = m->stream, .mapping = m->id,
		    .offset = y->slot[i].address - 1 - m->start + m->offset,
		    .path = m->path, .id = { m->build_id, m->build_id_len,
		    start_of(y, m->stream) } };
	}
	return n;
}

/* Looks the addresses up and writes the results. -1 with ${e} as OWN_RECORD. */
static int
write_names(struct symbols *y, struct own_records *n, struct error *e)
{
	struct record_FRAME *f;
	struct symbol_want *w;
	struct record r;
	uint8_t *answer;
	size_t len, pos = 0;
	int rc = 0;

	if (y == NULL || y->addresses == 0 || y->mappings == 0)
		return 0;
	if ((w = calloc(y->addresses, sizeof(*w))) == NULL)
		return error_memory(e);
	answer = symbol_ask(w, wants_of(y, w), SYMBOL_NS, &len);
	/* A helper that crashed may have returned a part of the records: use it. */
	while (rc == 0 && answer != NULL &&
	    record_next(answer, len, &pos, &r) > 0) {
		f = &r.u.FRAME;
		if (r.type == RECORD_FRAME)
			rc = OWN_RECORD(FRAME, n, f, e);
	}
	free(answer);
	free(w);
	return rc;
}

int
symbols_add(struct symbols *y, struct model *m, struct capture_writer *w,
    struct capture_index *x, struct error *e)
{
	struct own_records n;
	int rc;

	if (y == NULL || y->addresses == 0)
		return 0;
	if (own_records_open(&n, m, w, x, e) != 0)
		return -1;
	rc = write_names(y, &n, e);
	return own_records_close(&n, e) != 0 ? -1 : rc;
}

static int
note_frame(struct symbols **y, struct frame_file *s, const struct frame_header *h)
{
	const uint8_t *p;
	struct record r;
	size_t len, pos = 0;

	if ((p = frame_file_decode(s, h, UINT32_MAX, &len)) == NULL)
		return 0;
	while (record_next(p, len, &pos, &r) > 0)
		if (symbols_note(y, h->stream, &r) != 0)
			return -1;
	return 0;
}

int
symbols_complete(const char *path, struct error *e)
{
	struct capture_writer *w = NULL;
	struct symbols *y = NULL;
	struct frame_header h;
	struct frame_file s;
	uint64_t offset;
	int rc = 0;

	if (frame_file_open_path(&s, path, e) != 0)
		return -1;
	while (!frame_file_stops(&s) && (rc = frame_file_next(&s, &h, &offset)) > 0)
		if (note_frame(&y, &s, &h) != 0) {
			rc = error_memory(e);
			break;
		}
	frame_file_close(&s);
	if (rc == 0 && y != NULL && y->addresses > 0) {
		w = capture_writer_open(path, e);
		rc = w == NULL ? -1 : symbols_add(y, NULL, w, NULL, e);
		capture_writer_close(w);
	}
	symbols_free(y);
	return rc;
}
