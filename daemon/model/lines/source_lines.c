/*
 * model/lines/source_lines.c: the lines of a kernel. A line is a place in a file in one
 * inline context: a header's function that is inlined at two calls has two sets of
 * lines, and each line has the index of the line that called it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/lines/source_state.h"

struct builder {
	struct model *m;
	const struct lines *table;
	uint32_t *file;		/* by the table's files: index + 1; 0 not yet */
	uint32_t *row;		/* by the table's rows: line + 1; 0 not yet */
	struct idmap place;	/* file, line → number */
	struct idmap known;	/* place, caller → line */
	struct source_line *line;
	uint32_t lines, cap;
};

uint32_t
code_file(struct model *m, const char *path)
{
	struct source_state *x = m->source;
	uint32_t i = idmap_get(&x->file_map, (uintptr_t)path);

	if (i != IDMAP_NONE)
		return i;
	if (model_grow(&x->out_file, &x->out_files_cap, x->out_files,
	    MAX_FILES, sizeof(*x->out_file)) != 0 ||
	    idmap_put(&x->file_map, (uintptr_t)path, x->out_files) != 0)
		return IDMAP_NONE;
	x->out_file[x->out_files] = (struct source_file){ .path = path,
	    .missing = "its text was not captured" };
	return x->out_files++;
}

/* Add the files whose text was captured or withheld. */
int
code_files(struct model *m)
{
	struct source_state *x = m->source;
	struct source_text *t;
	struct source_file *f;
	uint32_t i, file;

	for (i = 0; i < x->texts; i++) {
		t = &x->text[i];
		if ((file = code_file(m, t->path)) == IDMAP_NONE)
			return x->out_files < MAX_FILES ? -1 : 0;
		f = &x->out_file[file];
		/* An empty file has no pieces. */
		if (f->text != NULL || (!t->checked && t->bulk.size > 0))
			continue;
		if ((t->bulk.flags & SOURCE_WITHHELD) != 0) {
			f->missing = "its text was not captured: not readable "
			    "during the run, or over a limit";
			continue;
		}
		f->text = t->bulk.bytes == NULL ? "" :
		    (const char *)t->bulk.bytes;
		f->size = t->bulk.size;
		f->id = t->bulk.id;
		f->missing = NULL;
	}
	return 0;
}

static uint32_t
file_of(struct builder *b, uint32_t index)
{
	const char *path;
	uint32_t i;

	if (index >= b->table->files || b->table->file[index] == NULL)
		return IDMAP_NONE;
	if (b->file[index] == 0) {
		path = pool_text(&b->m->pool,
		    wire_str_of(b->table->file[index]));
		i = path == NULL || *path == '\0' ? IDMAP_NONE :
		    code_file(b->m, path);
		b->file[index] = i == IDMAP_NONE ? IDMAP_NONE : i + 1;
	}
	return b->file[index] == IDMAP_NONE ? IDMAP_NONE :
	    b->file[index] - 1;
}

/* The C++ name; NULL if there is none, or no memory. */
static const char *
function_name(struct model *m, const char *mangled)
{
	const char *text = NULL;

	if (mangled == NULL || *mangled == '\0')
		return NULL;
	text = pool_demangled(&m->pool, mangled);
	return text == NULL || *text == '\0' ? NULL : text;
}

static uint32_t
line_new(struct builder *b, uint32_t file, const struct line_place *p,
    uint32_t caller)
{
	struct source_state *x = b->m->source;

	if (x->out_lines >= MAX_LINES ||
	    model_grow(&b->line, &b->cap, b->lines, MAX_LINES,
	    sizeof(*b->line)) != 0)
		return LINE_NONE;
	b->line[b->lines] = (struct source_line){ .file = file,
	    .line = p->line, .inlined_at = caller,
	    .function = function_name(b->m, p->function) };
	x->out_lines++;
	return b->lines++;
}

/* The line of ${p}, inlined at line ${caller}; made if new. */
static uint32_t
line_of(struct builder *b, const struct line_place *p, uint32_t caller)
{
	uint32_t file = file_of(b, p->file), place, line;
	uint64_t key;

	if (file == IDMAP_NONE || p->line == 0)
		return LINE_NONE;
	key = (uint64_t)file << 32 | p->line;
	if ((place = idmap_get(&b->place, key)) == IDMAP_NONE) {
		place = b->place.used;
		if (idmap_put(&b->place, key, place) != 0)
			return LINE_NONE;
	}
	key = (uint64_t)place << 32 | (uint32_t)(caller + 1);
	if ((line = idmap_get(&b->known, key)) != IDMAP_NONE)
		return line;
	line = line_new(b, file, p, caller);
	if (line != LINE_NONE && idmap_put(&b->known, key, line) != 0)
		return LINE_NONE;
	return line;
}

/* The innermost line of a row; makes its callers' lines first. */
static uint32_t
row_line(struct builder *b, const struct line_row *row)
{
	uint32_t line = LINE_NONE, depth = row->depth, next;

	if (depth > LINE_DEPTH)
		depth = LINE_DEPTH;
	while (depth-- > 0) {
		next = line_of(b, &row->place[depth], line);
		/* A place without file or line: its caller stands for it. */
		if (next != LINE_NONE)
			line = next;
	}
	return line;
}

static uint32_t
pc_line(struct builder *b, uint32_t pc)
{
	const struct line_row *row = lines_at(b->table, pc);
	size_t i;

	if (row == NULL || row->depth == 0)
		return LINE_NONE;
	i = (size_t)(row - b->table->row);
	if (b->row[i] == 0)
		b->row[i] = row_line(b, row) + 1;	/* LINE_NONE + 1 is 0 */
	return b->row[i] - 1;
}

static int
line_compare(const void *a, const void *b, void *context)
{
	const struct source_line *line = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	while (i != j) {
		if (i == LINE_NONE || j == LINE_NONE)
			return i == LINE_NONE ? 1 : -1;
		if (line[i].file != line[j].file)
			return line[i].file < line[j].file ? -1 : 1;
		if (line[i].line != line[j].line)
			return line[i].line < line[j].line ? -1 : 1;
		i = line[i].inlined_at;
		j = line[j].inlined_at;
	}
	return 0;
}

/* Sort the lines as struct code documents, and adjust the indices. */
static int
lines_order(struct builder *b, struct code *c)
{
	uint32_t *order = malloc((b->lines + 1) * sizeof(*order));
	uint32_t *place = malloc((b->lines + 1) * sizeof(*place));
	struct source_line *to;
	size_t i;
	int rc = -1;

	c->line = calloc(b->lines + 1, sizeof(*c->line));
	if (order == NULL || place == NULL || c->line == NULL)
		goto done;
	for (i = 0; i < b->lines; i++)
		order[i] = (uint32_t)i;
	if (b->lines > 1)
		qsort_r(order, b->lines, sizeof(*order), line_compare,
		    b->line);
	for (i = 0; i < b->lines; i++)
		place[order[i]] = (uint32_t)i;
	for (i = 0; i < b->lines; i++) {
		to = &c->line[i];
		*to = b->line[order[i]];
		if (to->inlined_at != LINE_NONE)
			to->inlined_at = place[to->inlined_at];
	}
	for (i = 0; i < c->instructions; i++)
		if (c->instruction[i].line != LINE_NONE)
			c->instruction[i].line = place[c->instruction[i].line];
	c->lines = b->lines;
	rc = 0;
done:
	free(order);
	free(place);
	return rc;
}

void
samples_add(struct samples *to, const struct samples *from)
{
	int i;

	to->all = add_sat(to->all, from->all);
	to->not_issued = add_sat(to->not_issued, from->not_issued);
	for (i = 0; i < STALL_COUNT; i++)
		to->stall[i] = from->stall[i] > UINT32_MAX - to->stall[i] ?
		    UINT32_MAX : to->stall[i] + from->stall[i];
}

/* Sum the instructions by line. Metrics that were not measured are NaN; lines without
 * instructions of their own have 0. */
static void
lines_sum(struct code *c)
{
	const struct instruction *p;
	struct source_line *l;
	size_t i;
	int v;

	for (i = 0; i < c->lines; i++)
		for (v = 0; v < SOURCE_COUNT; v++)
			c->line[i].value[v] = isnan(c->total[v]) ? NAN : 0;
	for (i = 0; i < c->instructions; i++) {
		p = &c->instruction[i];
		if (p->line == LINE_NONE)
			continue;
		l = &c->line[p->line];
		l->instructions++;
		for (v = 0; v < SOURCE_COUNT; v++)
			l->value[v] += p->value[v];
		samples_add(&l->samples, &p->samples);
	}
}

int
code_lines(struct model *m, struct code *c, const struct lines *l)
{
	struct builder b = { .m = m, .table = l };
	size_t i;
	int rc = -1;

	b.file = calloc(l->files + 1, sizeof(*b.file));
	b.row = calloc(l->rows + 1, sizeof(*b.row));
	if (b.file == NULL || b.row == NULL)
		goto done;
	for (i = 0; i < c->instructions; i++)
		c->instruction[i].line = pc_line(&b, c->instruction[i].pc);
	if (lines_order(&b, c) != 0)
		goto done;
	lines_sum(c);
	rc = 0;
done:
	idmap_clear(&b.place);
	idmap_clear(&b.known);
	free(b.file);
	free(b.row);
	free(b.line);
	return rc;
}
