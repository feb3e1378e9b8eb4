/*
 * model/lines/site.c: call stacks of the host as they arrive: mapped modules, sites, and
 * the functions and lines of addresses. source_site.c joins them at a settle.
 */
#include <stdlib.h>
#include <string.h>

#include "model/lines/source_state.h"
#include "wire/le.h"

static const char *
base_name(struct wire_str path)
{
	const char *slash = path.len == 0 ? NULL :
	    memrchr(path.p, '/', path.len);

	return slash != NULL ? slash + 1 : path.p;
}

int
site_mapping(struct model *m, struct stream *s, const struct record_MAPPING *r)
{
	struct source_state *x = m->source;
	const char *name = base_name(r->path);
	struct wire_str module = { name,
	    r->path.len - (uint32_t)(name - r->path.p) };
	struct mapping *p;

	if (r->end <= r->start)
		return 0;
	if (x->mappings >= MAX_MAPPINGS) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	if (model_grow(&x->mapping, &x->mappings_cap, x->mappings,
	    MAX_MAPPINGS, sizeof(*x->mapping)) != 0)
		return -1;
	p = &x->mapping[x->mappings];
	*p = (struct mapping){ .stream = source_stream(m, s),
	    .start = r->start, .end = r->end, .offset = r->offset };
	if ((p->module = pool_text(&m->pool, module)) == NULL)
		return -1;
	x->mappings++;
	return 0;
}

/* The field of a Python line that begins at *${p} and ends at ${stop} or ${end}; moves
 * *${p} behind it. */
static struct wire_str
python_field(const char **p, const char *end, char stop)
{
	const char *start = *p, *to;

	to = start < end ? memchr(start, stop, (size_t)(end - start)) : NULL;
	if (to == NULL)
		to = end;
	*p = to < end ? to + 1 : end;
	return (struct wire_str){ start, (uint32_t)(to - start) };
}

static uint32_t
decimal(struct wire_str s)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return 0;
		n = 10 * n + (uint64_t)(s.p[i] - '0');
		if (n > UINT32_MAX)
			return 0;
	}
	return (uint32_t)n;
}

/* Parse frames of the form "file\tline\tfunction\n", the innermost first. */
static int
python_parse(struct model *m, struct site_state *site, struct wire_str text)
{
	struct wire_str row, file, function;
	const char *p, *end, *line;
	struct site_frame *f;

	if (text.len == 0)
		return 0;
	p = text.p;
	end = p + text.len;
	site->python = calloc(SITE_DEPTH, sizeof(*site->python));
	if (site->python == NULL)
		return -1;
	while (p < end && site->pythons < SITE_DEPTH) {
		row = python_field(&p, end, '\n');
		line = row.p;
		f = &site->python[site->pythons];
		file = python_field(&line, row.p + row.len, '\t');
		f->line = decimal(python_field(&line, row.p + row.len, '\t'));
		function = python_field(&line, row.p + row.len, '\t');
		if (file.len == 0)
			continue;
		f->python = true;
		f->file = pool_text(&m->pool, file);
		f->function = function.len == 0 ? NULL :
		    pool_text(&m->pool, function);
		if (f->file == NULL || (function.len > 0 &&
		    f->function == NULL))
			return -1;
		site->pythons++;
	}
	return 0;
}

static bool
same_python(const struct site_state *a, const struct site_state *b)
{
	uint32_t i;

	if (a->pythons != b->pythons)
		return false;
	for (i = 0; i < a->pythons; i++)
		if (a->python[i].file != b->python[i].file ||
		    a->python[i].line != b->python[i].line ||
		    a->python[i].function != b->python[i].function)
			return false;
	return true;
}

static void
site_clear(struct site_state *s)
{

	free(s->address);
	free(s->python);
}

static int
site_make(struct model *m, struct stream *s, const struct record_SITE *r,
    struct site_state *site)
{
	uint32_t i, n = r->frames.len / 8;

	*site = (struct site_state){ .stream = source_stream(m, s),
	    .call = (uint16_t)r->kind, .count = r->count, .number = r->number,
	    .kernel = IDMAP_NONE };
	if (r->kind == CALL_LAUNCH)
		site->kernel = idmap_get(&s->signature, r->key);
	site->addresses = n < SITE_DEPTH ? n : SITE_DEPTH;
	site->address = calloc(site->addresses + 1, sizeof(*site->address));
	if (site->address == NULL)
		return -1;
	for (i = 0; i < site->addresses; i++)
		site->address[i] = le64_get(r->frames.p + 8 * i);
	return python_parse(m, site, r->python);
}

static uint64_t
site_hash(const struct site_state *s)
{
	uint64_t h = s->stream * 0x9e3779b97f4a7c15ull ^ s->call;
	uint32_t i;

	h = (h ^ s->kernel) * 0xff51afd7ed558ccdull;
	for (i = 0; i < s->addresses; i++)
		h = (h ^ h >> 29 ^ s->address[i]) * 0xff51afd7ed558ccdull;
	for (i = 0; i < s->pythons; i++)
		h = (h ^ h >> 29 ^ (uintptr_t)s->python[i].file ^
		    s->python[i].line) * 0xff51afd7ed558ccdull;
	return h;
}

/* The same site if it is known: a process sends a site again with a higher count. */
static struct site_state *
site_known(struct source_state *x, const struct site_state *site)
{
	uint32_t index = idmap_get(&x->site_map, site_hash(site));
	struct site_state *i;

	if (index == IDMAP_NONE)
		return NULL;
	i = &x->site[index];
	if (i->stream == site->stream && i->call == site->call &&
	    i->kernel == site->kernel && i->addresses == site->addresses &&
	    memcmp(i->address, site->address,
	    site->addresses * sizeof(*site->address)) == 0 &&
	    same_python(i, site))
		return i;
	return NULL;
}

int
site_feed(struct model *m, struct stream *s, const struct record_SITE *r)
{
	struct source_state *x = m->source;
	struct site_state site, *known;

	if (r->kind == CALL_UNKNOWN || r->kind >= CALL_COUNT)
		return 0;
	if (r->kind == CALL_LAUNCH &&
	    idmap_get(&s->signature, r->key) == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	if (site_make(m, s, r, &site) != 0) {
		site_clear(&site);
		return -1;
	}
	if ((known = site_known(x, &site)) != NULL) {
		known->count = max_u64(known->count, site.count);
		site_clear(&site);
		return 0;
	}
	if (x->sites >= MAX_SITES ||
	    model_grow(&x->site, &x->sites_cap, x->sites, MAX_SITES,
	    sizeof(*x->site)) != 0) {
		s->process.lost[LOSS_TABLE]++;
		site_clear(&site);
		return 0;
	}
	x->site[x->sites] = site;
	return idmap_put(&x->site_map, site_hash(&site), x->sites++);
}

int
site_frame(struct model *m, struct stream *s, const struct record_FRAME *r)
{
	uint64_t id = r->process != 0 ? r->process : s->id;
	uint32_t stream = idmap_get(&m->streams, id);
	struct source_state *x = m->source;
	struct frame_entry *f;

	if (stream == IDMAP_NONE || r->depth >= SITE_DEPTH)
		return 0;
	if (x->frames >= MAX_FRAMES) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	if (model_grow(&x->frame, &x->frames_cap, x->frames, MAX_FRAMES,
	    sizeof(*x->frame)) != 0)
		return -1;
	f = &x->frame[x->frames];
	*f = (struct frame_entry){ .address = r->address, .stream = stream,
	    .depth = r->depth, .line = r->line, .flags = r->flags,
	    .order = x->frames, .daemon = id != s->id };
	if ((f->function = pool_text(&m->pool, r->function)) == NULL ||
	    (f->file = pool_text(&m->pool, r->file)) == NULL)
		return -1;
	if ((f->function = pool_demangled(&m->pool, f->function)) == NULL)
		return -1;
	x->frames++;
	x->frames_sorted = false;
	return 0;
}

void
site_free(struct source_state *x)
{
	uint32_t i;

	for (i = 0; i < x->sites; i++)
		site_clear(&x->site[i]);
	idmap_clear(&x->site_map);
	free(x->mapping);
	free(x->frame);
	free(x->site);
	free(x->out_site);
	free(x->out_frame);
}
