/*
 * source/lines.c: the rows of one function, with the chain of inlined calls.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "source/program.h"

#define MAX_ROWS (1u << 18)	/* of a function */
#define MAX_FILES 4096u		/* of a function */
#define MAX_UNIT_FILES 65536u
#define MAX_PATH 4096u
#define NONE UINT32_MAX

/* A row of the line table. */
struct raw {
	uint64_t pc;		/* in the section */
	uint32_t file;		/* index into lines->file; NONE */
	uint32_t line;		/* 0: none from here on */
	uint32_t caller;	/* index of the row that called; NONE */
	uint32_t name;		/* offset in .debug_str; NONE */
	uint32_t order;		/* index among the raw rows */
	bool end;		/* of a sequence */
	bool said;		/* the table has a name for this very row */
};

struct reading {
	struct lines *l;
	const struct cubin *c;
	const struct cubin_function *f;
	struct line_unit unit;
	const char **dir;	/* of the line unit, from 1 */
	size_t dirs;
	const char **name;	/* of its files, from 1 */
	uint32_t *name_dir, *file;	/* of each: directory, lines->file + 1 */
	size_t names;
	struct raw *raw;
	size_t raws, cap;
	struct raw *said;	/* the rows whose names are certain */
	size_t saids;
};

static int
tables_read(struct reading *r)
{
	const struct cubin_parts *p = r->c->parts;
	struct cursor c = { p->line + r->unit.tables,
	    p->line + r->unit.program, false };
	size_t bytes = r->unit.program - r->unit.tables, max = bytes + 2;
	const char *s;

	if (max > MAX_UNIT_FILES)
		max = MAX_UNIT_FILES;
	free(r->dir);
	free(r->name);
	free(r->name_dir);
	free(r->file);
	r->dir = calloc(max, sizeof(*r->dir));
	r->name = calloc(max, sizeof(*r->name));
	r->name_dir = calloc(max, sizeof(*r->name_dir));
	r->file = calloc(max, sizeof(*r->file));
	if (r->dir == NULL || r->name == NULL || r->name_dir == NULL ||
	    r->file == NULL)
		return -1;
	r->dirs = r->names = 1;
	while (*(s = cursor_string(&c)) != '\0')
		if (r->dirs < max)
			r->dir[r->dirs++] = s;
	while (*(s = cursor_string(&c)) != '\0' && r->names < max) {
		r->name[r->names] = s;
		r->name_dir[r->names] = (uint32_t)cursor_uleb(&c);
		cursor_uleb(&c);
		cursor_uleb(&c);
		r->names++;
	}
	return 0;
}

/* "dir/name", as the injection library writes paths in SOURCE records; each part is cut
 * to MAX_PATH. */
static char *
path_join(const char *dir, const char *name)
{
	size_t slash = dir != NULL && name[0] != '/';
	size_t a = slash ? strnlen(dir, MAX_PATH) : 0;
	size_t b = strnlen(name, MAX_PATH);
	char *path;

	if ((path = malloc(a + slash + b + 1)) == NULL)
		return NULL;
	if (a > 0)
		memcpy(path, dir, a);
	if (slash)
		path[a] = '/';
	memcpy(path + a + slash, name, b);
	path[a + slash + b] = '\0';
	return path;
}

/* The index in lines->file of a file of the line unit, in *${out}: NONE if
 * there is no such file. -1 without memory. */
static int
file_of(struct reading *r, uint64_t number, uint32_t *out)
{
	struct lines *l = r->l;
	const char *dir = NULL;
	char *path, **grown;
	size_t i;

	*out = NONE;
	if (number == 0 || number >= r->names)
		return 0;
	if (r->file[number] != 0) {
		*out = r->file[number] == NONE ? NONE : r->file[number] - 1;
		return 0;
	}
	if (r->name_dir[number] < r->dirs)
		dir = r->dir[r->name_dir[number]];
	if ((path = path_join(dir, r->name[number])) == NULL)
		return -1;
	for (i = 0; i < l->files; i++)
		if (strcmp(l->file[i], path) == 0)
			break;
	if (i < l->files || l->files >= MAX_FILES)
		free(path);
	else {
		grown = realloc(l->file, (l->files + 1) * sizeof(*grown));
		if (grown == NULL) {
			free(path);
			return -1;
		}
		l->file = grown;
		l->file[l->files++] = path;
	}
	if (i == MAX_FILES) {	/* too many: not looked up again */
		r->file[number] = NONE;
		return 0;
	}
	r->file[number] = (uint32_t)i + 1;
	*out = (uint32_t)i;
	return 0;
}

/* ${first}: the index of the sequence's first row; ${name_file}: the file of
 * the row that last had a name. */
static int
raw_add(struct reading *r, const struct machine *m, size_t first,
    uint64_t name_file, bool end)
{
	struct raw *raw;
	size_t cap;

	if (r->raws == r->cap) {
		cap = r->cap == 0 ? 64 : 2 * r->cap;
		if ((raw = realloc(r->raw, cap * sizeof(*raw))) == NULL)
			return -1;
		r->raw = raw;
		r->cap = cap;
	}
	raw = &r->raw[r->raws];
	memset(raw, 0, sizeof(*raw));
	raw->order = (uint32_t)r->raws;
	raw->pc = m->address;
	raw->file = raw->caller = raw->name = NONE;
	raw->end = end;
	if (!end && file_of(r, m->file, &raw->file) != 0)
		return -1;
	if (!end && raw->file != NONE && m->line <= INT32_MAX)
		raw->line = (uint32_t)m->line;
	/* A caller precedes its callees: no cycles. */
	if (m->context > 0 && m->context <= r->raws - first) {
		raw->caller = (uint32_t)(first + m->context - 1);
		raw->said = m->named;
		if (m->file == name_file && m->name < NONE)
			raw->name = (uint32_t)m->name;
	}
	r->raws++;
	return 0;
}

static int
sequence_read(struct reading *r, const struct row_sequence *s, struct error *e)
{
	uint64_t name_file = 0;
	size_t first = r->raws;
	enum event event;
	struct machine m;

	machine_start(&m, r->c->parts, &r->unit, s->begin, s->end);
	while ((event = machine_run(&m)) != EVENT_OVER) {
		if (m.section != s->section)
			m.address = UINT64_MAX;
		if (r->raws >= MAX_ROWS)
			return error_set(e, "the line table of '%s' is too "
			    "long", r->f->name);
		if (m.named)
			name_file = m.file;
		if (raw_add(r, &m, first, name_file, event == EVENT_END) != 0)
			return error_memory(e);
		m.named = false;
	}
	return 0;
}

static int
sequences_read(struct reading *r, struct error *e)
{
	const struct cubin_parts *p = r->c->parts;
	size_t low, unit = SIZE_MAX;
	const struct row_sequence *s;

	low = FIRST_NOT(mid, 0, p->sequences,
	    p->sequence[mid].section < r->f->section);
	for (; low < p->sequences; low++) {
		s = &p->sequence[low];
		if (s->section != r->f->section)
			break;
		if (s->unit != unit) {
			unit = s->unit;
			if (line_unit_read(p, unit, &r->unit) != 0)
				return error_set(e,
				    "the line table is damaged");
			if (tables_read(r) != 0)
				return error_memory(e);
		}
		if (sequence_read(r, s, e) != 0)
			return -1;
	}
	return 0;
}

/* --- rows as they are given out ------------------------------------------- */

COMPARE(by_line, struct raw, ORDER(x->file, y->file) ?: ORDER(x->line, y->line))

COMPARE(by_pc, struct raw,
    ORDER(x->pc, y->pc) ?: ORDER(y->end, x->end) ?: ORDER(x->order, y->order))

/* The compiler emits a function's name only when the calling row changes: two
 * functions inlined at one line share the name of the first. A line that has a
 * name of its own somewhere gets that; otherwise the name is valid for rows of
 * its file. */
static const char *
name_of(const struct reading *r, const struct raw *raw)
{
	const struct cubin_parts *p = r->c->parts;
	uint32_t name = raw->name;
	const struct raw *said = NULL;

	if (!raw->said && r->saids > 0)
		said = bsearch(raw, r->said, r->saids, sizeof(*raw), by_line);
	if (said != NULL)
		name = said->name;
	if (name >= p->string_size || p->string[name] == '\0')
		return NULL;
	return p->string + name;
}

static int
said_collect(struct reading *r)
{
	size_t i;

	if ((r->said = malloc((r->raws + 1) * sizeof(*r->said))) == NULL)
		return -1;
	for (i = 0; i < r->raws; i++)
		if (r->raw[i].said && r->raw[i].name != NONE)
			r->said[r->saids++] = r->raw[i];
	if (r->saids > 0)
		qsort(r->said, r->saids, sizeof(*r->said), by_line);
	return 0;
}

static void
row_fill(const struct reading *r, const struct raw *raw, struct line_row *row)
{
	struct line_place *place;

	row->depth = 0;
	while (raw->line > 0 && row->depth < LINE_DEPTH) {
		place = &row->place[row->depth++];
		place->file = raw->file;
		place->line = raw->line;
		place->function = NULL;
		if (raw->caller == NONE)
			break;
		place->function = name_of(r, raw);
		raw = &r->raw[raw->caller];
	}
}

static bool
row_equal(const struct line_row *a, const struct line_row *b)
{
	uint32_t i;

	if (a->depth != b->depth)
		return false;
	for (i = 0; i < a->depth; i++)
		if (a->place[i].file != b->place[i].file ||
		    a->place[i].line != b->place[i].line ||
		    a->place[i].function != b->place[i].function)
			return false;
	return true;
}

/* ${sorted}: the raw rows by pc. The last one at a pc counts: those before it
 * only give callers. */
static int
rows_make(struct reading *r, const struct raw *sorted)
{
	uint64_t from = r->f->offset, to = from + r->f->size;
	struct lines *l = r->l;
	struct line_row *row;
	size_t i, cap = 0;

	for (i = 0; i < r->raws && sorted[i].pc < to; i++) {
		if (i + 1 < r->raws && (sorted[i + 1].pc == sorted[i].pc ||
		    sorted[i + 1].pc <= from))
			continue;
		if (l->rows == cap) {
			cap = cap == 0 ? 32 : 2 * cap;
			row = realloc(l->row, cap * sizeof(*row));
			if (row == NULL)
				return -1;
			l->row = row;
		}
		row = &l->row[l->rows];
		memset(row, 0, sizeof(*row));
		row->pc = sorted[i].pc <= from ? 0 :
		    (uint32_t)(sorted[i].pc - from);
		row_fill(r, &sorted[i], row);
		if (l->rows == 0 || !row_equal(row, row - 1))
			l->rows++;
	}
	return 0;
}

static int
lines_sort(struct reading *r, struct error *e)
{
	struct raw *sorted;
	int rc = -1;

	if ((sorted = malloc((r->raws + 1) * sizeof(*sorted))) == NULL ||
	    said_collect(r) != 0)
		goto out;
	if (r->raws > 0) {
		memcpy(sorted, r->raw, r->raws * sizeof(*sorted));
		qsort(sorted, r->raws, sizeof(*sorted), by_pc);
	}
	rc = rows_make(r, sorted);
out:
	if (rc != 0)
		error_memory(e);
	free(sorted);
	return rc;
}

static bool
has_line(const struct lines *l)
{
	size_t i;

	for (i = 0; i < l->rows; i++)
		if (l->row[i].depth > 0)
			return true;
	return false;
}

int
lines_read(struct lines *l, const struct cubin *c,
    const struct cubin_function *f, struct error *e)
{
	struct reading r = { .l = l, .c = c, .f = f };
	int rc = -1;

	memset(l, 0, sizeof(*l));
	if (sequences_read(&r, e) != 0 || lines_sort(&r, e) != 0)
		goto out;
	if (!has_line(l)) {
		error_set(e, "there are no lines for '%s'", f->name);
		goto out;
	}
	rc = 0;
out:
	if (rc != 0)
		lines_free(l);
	free(r.dir);
	free(r.name);
	free(r.name_dir);
	free(r.file);
	free(r.raw);
	free(r.said);
	return rc;
}

void
lines_free(struct lines *l)
{
	size_t i;

	for (i = 0; i < l->files; i++)
		free(l->file[i]);
	free(l->file);
	free(l->row);
	memset(l, 0, sizeof(*l));
}

const struct line_row *
lines_at(const struct lines *l, uint32_t pc)
{
	size_t low = FIRST_NOT(mid, 0, l->rows, l->row[mid].pc <= pc);

	return low == 0 ? NULL : &l->row[low - 1];
}
