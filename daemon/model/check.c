/*
 * model/check.c: the correctness tools that ran over the program, and their reports:
 * reports about one place are one defect.
 */
#include <string.h>

#include "model/internal.h"

int
check_feed(struct model *m, struct stream *s, const struct record_CHECK *r)
{
	struct tool_run *c;

	(void)s;
	if (model_grow(&m->check, &m->checks_cap, m->checks, MAX_CHECKS,
	    sizeof(*c)) != 0) {
		if (m->checks < MAX_CHECKS)
			return -1;
		m->lost++;
		return 0;
	}
	c = &m->check[m->checks];
	*c = (struct tool_run){
		.tool = r->tool < TOOL_COUNT ? (enum wire_tool)r->tool :
		    TOOL_UNKNOWN,
		.state = r->state < RAN_STATES ? (enum wire_ran)r->state :
		    RAN_UNKNOWN,
		.exit_code = r->exit_code, .signal = r->signal,
		.errors = r->errors, .warnings = r->warnings,
		.unreported = r->unreported,
	};
	if (model_time(m, r->start_ns, r->end_ns)) {
		c->start_ns = r->start_ns;
		c->end_ns = r->end_ns;
	}
	if ((c->version = pool_text(&m->pool, r->version)) == NULL ||
	    (c->text = pool_text(&m->pool, r->text)) == NULL)
		return -1;
	m->checks++;
	return 0;
}

/* Interned: the same text is the same pointer, except "". */
static bool
same(const char *a, const char *b)
{

	return a == b || strcmp(a, b) == 0;
}

/* Are both about one place? Reports about host calls have no place in a kernel: they are
 * compared by text and call site. */
static bool
is_same(const struct defect *a, const struct defect *b)
{

	if (a->tool != b->tool || a->kind != b->kind || a->line != b->line ||
	    !same(a->kernel, b->kernel) || !same(a->function, b->function) ||
	    !same(a->file, b->file))
		return false;
	if (a->function[0] != '\0' && a->kind != DEFECT_UNKNOWN)
		return true;
	return (a->kind == DEFECT_LEAK || same(a->text, b->text)) &&
	    a->site_line == b->site_line && same(a->site, b->site) &&
	    same(a->site_file, b->site_file);
}

static int
take_texts(struct model *m, struct defect *d, struct defect_example *e,
    const struct record_DEFECT *r)
{
	const struct {
		const char **to;
		struct wire_str from;
	} texts[] = {
		{ &d->text, r->text }, { &d->function, r->function },
		{ &d->file, r->file }, { &d->kernel, r->kernel },
		{ &d->kernel_file, r->kernel_file },
		{ &d->partner_file, r->partner_file }, { &d->site, r->site },
		{ &d->site_file, r->site_file },
		{ &d->site_object, r->site_object }, { &e->detail, r->detail },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if ((*texts[i].to = pool_text(&m->pool, texts[i].from)) == NULL)
			return -1;
	return 0;
}

/* The defect at the same place (*${known} is true), or room for a new one; NULL without
 * memory or at MAX_DEFECTS. */
static struct defect *
find(struct model *m, const struct defect *want, bool *known)
{
	uint32_t i;

	*known = true;
	for (i = 0; i < m->defects; i++)
		if (is_same(&m->defect[i], want))
			return &m->defect[i];
	*known = false;
	if (model_grow(&m->defect, &m->defects_cap, m->defects, MAX_DEFECTS,
	    sizeof(*want)) != 0)
		return NULL;
	return &m->defect[m->defects];
}

int
check_defect(struct model *m, struct stream *s, const struct record_DEFECT *r)
{
	struct defect want = {
		.tool = r->tool < TOOL_COUNT ? (enum wire_tool)r->tool :
		    TOOL_UNKNOWN,
		.kind = r->kind < DEFECT_KINDS ? (enum wire_defect)r->kind :
		    DEFECT_UNKNOWN,
		.severity = r->severity >= SEVERITY_INFO &&
		    r->severity <= SEVERITY_ERROR ?
		    (enum wire_severity)r->severity : SEVERITY_ERROR,
		.bytes = r->bytes, .line = r->line,
		.kernel_line = r->kernel_line,
		.partner_line = r->partner_line, .site_line = r->site_line,
	}, *d;
	struct defect_example e = {
		.flags = r->flags, .address = r->address, .bytes = r->bytes,
		.thread = { r->thread_x, r->thread_y, r->thread_z },
		.block = { r->block_x, r->block_y, r->block_z },
	};
	bool known;

	(void)s;
	if (take_texts(m, &want, &e, r) != 0)
		return -1;
	if ((d = find(m, &want, &known)) == NULL) {
		if (m->defects < MAX_DEFECTS)
			return -1;
		m->lost++;
		return 0;
	}
	if (!known) {
		*d = want;
		m->defects++;
	} else if (d->kind == DEFECT_LEAK) {
		d->bytes = add_sat(d->bytes, want.bytes);
	}
	if (want.severity > d->severity)
		d->severity = want.severity;
	d->reports = add_sat(d->reports, 1);
	d->count = add_sat(d->count, r->count > 0 ? r->count : 1);
	if (d->examples < DEFECT_EXAMPLES)
		d->example[d->examples++] = e;
	return 0;
}
