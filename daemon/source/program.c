/*
 * source/program.c: see program.h.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#include "source/program.h"

#define LNE_INLINED_CALL 0x90	/* uleb row (1.., 0 none), uleb name */
#define LNE_FUNCTION_NAME 0x91	/* uleb offset in .debug_str */

/* --- reading ------------------------------------------------------------ */

uint64_t
cursor_take(struct cursor *c, size_t bytes)
{
	uint64_t v = 0;
	size_t i;

	if ((size_t)(c->end - c->p) < bytes) {
		c->bad = true;
		c->p = c->end;
		return 0;
	}
	for (i = 0; i < bytes; i++)
		v |= (uint64_t)c->p[i] << (8 * i);
	c->p += bytes;
	return v;
}

uint64_t
cursor_uleb(struct cursor *c)
{
	uint64_t v = 0, byte;
	unsigned shift;

	for (shift = 0; shift < 70; shift += 7) {
		byte = cursor_take(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return v;
	}
	c->bad = true;
	return 0;
}

static int64_t
take_sleb(struct cursor *c)
{
	uint64_t v = 0, byte;
	unsigned shift;

	for (shift = 0; shift < 70; shift += 7) {
		byte = cursor_take(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		if ((byte & 0x80) == 0) {
			if (shift < 57 && (byte & 0x40) != 0)
				v |= UINT64_MAX << (shift + 7);
			return (int64_t)v;
		}
	}
	c->bad = true;
	return 0;
}

const char *
cursor_string(struct cursor *c)
{
	const uint8_t *s = c->p;
	const uint8_t *nul = memchr(s, '\0', (size_t)(c->end - s));

	if (nul == NULL) {
		c->bad = true;
		c->p = c->end;
		return "";
	}
	c->p = nul + 1;
	return (const char *)s;
}

/* --- a unit's header ------------------------------------------------------ */

int
line_unit_read(const struct cubin_parts *p, size_t at, struct line_unit *u)
{
	struct cursor c = { p->line + at, p->line + p->line_size, false };
	uint64_t length, version, header;
	size_t wide = 4, i;

	memset(u, 0, sizeof(*u));
	u->begin = at;
	if ((length = cursor_take(&c, 4)) == UINT32_MAX) {
		length = cursor_take(&c, 8);
		wide = 8;
	}
	if (c.bad || length > (size_t)(c.end - c.p))
		return -1;
	c.end = c.p + length;
	u->end = (size_t)(c.end - p->line);
	version = cursor_take(&c, 2);
	header = cursor_take(&c, wide);
	if (c.bad || version < 2 || version > 4 ||
	    header > (size_t)(c.end - c.p))
		return -1;
	u->program = (size_t)(c.p - p->line) + header;
	c.end = c.p + header;
	u->min_length = (unsigned)cursor_take(&c, 1);
	if (version == 4)
		cursor_take(&c, 1);
	cursor_take(&c, 1);
	u->line_base = (int8_t)cursor_take(&c, 1);
	u->line_range = (unsigned)cursor_take(&c, 1);
	u->opcode_base = (unsigned)cursor_take(&c, 1);
	if (u->line_range == 0 || u->opcode_base == 0)
		return -1;
	for (i = 1; i < u->opcode_base; i++)
		u->operands[i] = (uint8_t)cursor_take(&c, 1);
	u->tables = (size_t)(c.p - p->line);
	return c.bad ? -1 : 0;
}

/* --- the opcodes ---------------------------------------------------------- */

void
machine_reset(struct machine *m)
{

	m->address = 0;
	m->file = m->line = 1;
	m->context = 0;
	m->name = LINE_NAME_NONE;
	m->section = LINE_SECTION_NONE;
	m->named = false;
}

void
machine_start(struct machine *m, const struct cubin_parts *p,
    const struct line_unit *u, size_t begin, size_t end)
{

	memset(m, 0, sizeof(*m));
	m->parts = p;
	m->unit = u;
	m->c.p = p->line + begin;
	m->c.end = p->line + end;
	machine_reset(m);
}

static void
address_set(struct machine *m, size_t bytes)
{
	const struct cubin_parts *p = m->parts;
	size_t low;
	size_t at = (size_t)(m->c.p - p->line);
	const struct relocation *r;
	uint64_t value = cursor_take(&m->c, bytes);

	low = FIRST_NOT(mid, 0, p->relocations, p->relocation[mid].at < at);
	r = low < p->relocations ? &p->relocation[low] : NULL;
	if (r != NULL && r->at == at) {
		m->section = r->section;
		m->address = r->address + (r->addend ? 0 : value);
	} else {
		/* With a single function the section is known. */
		m->section = p->only != 0 ? p->only : LINE_SECTION_NONE;
		m->address = value;
	}
}

static enum event
extended(struct machine *m)
{
	uint64_t length = cursor_uleb(&m->c);
	const uint8_t *end;
	enum event event = EVENT_OVER;

	if (m->c.bad || length == 0 || length > (size_t)(m->c.end - m->c.p)) {
		m->c.bad = true;
		return EVENT_OVER;
	}
	end = m->c.p + length;
	switch (cursor_take(&m->c, 1)) {
	case DW_LNE_end_sequence:
		event = EVENT_END;
		break;
	case DW_LNE_set_address:
		if (length == 5 || length == 9)
			address_set(m, length - 1);
		break;
	case LNE_INLINED_CALL:
		m->context = cursor_uleb(&m->c);
		m->name = cursor_uleb(&m->c);
		m->named = true;
		break;
	case LNE_FUNCTION_NAME:
		m->name = cursor_uleb(&m->c);
		m->named = true;
		break;
	default:
		break;
	}
	if (m->c.p > end)
		m->c.bad = true;
	m->c.p = end;
	return event;
}

static void
standard(struct machine *m, unsigned op)
{
	const struct line_unit *u = m->unit;
	unsigned i;

	switch (op) {
	case DW_LNS_advance_pc:
		m->address += cursor_uleb(&m->c) * u->min_length;
		break;
	case DW_LNS_advance_line:
		m->line += (uint64_t)take_sleb(&m->c);
		break;
	case DW_LNS_set_file:
		m->file = cursor_uleb(&m->c);
		break;
	case DW_LNS_const_add_pc:
		m->address += (255 - u->opcode_base) / u->line_range *
		    u->min_length;
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += cursor_take(&m->c, 2);
		break;
	default:
		for (i = 0; i < u->operands[op]; i++)
			cursor_uleb(&m->c);
		break;
	}
}

enum event
machine_run(struct machine *m)
{
	const struct line_unit *u = m->unit;
	enum event event;
	unsigned op;

	while (m->c.p < m->c.end && !m->c.bad) {
		op = (unsigned)cursor_take(&m->c, 1);
		if (op >= u->opcode_base) {
			op -= u->opcode_base;
			m->address += op / u->line_range * u->min_length;
			m->line += (uint64_t)(int64_t)(u->line_base +
			    (int)(op % u->line_range));
			return EVENT_ROW;
		}
		if (op == DW_LNS_copy)
			return EVENT_ROW;
		if (op != 0) {
			standard(m, op);
			continue;
		}
		if ((event = extended(m)) != EVENT_OVER)
			return event;
	}
	return EVENT_OVER;
}

/* --- which sequence is about which section -------------------------------- */

COMPARE(by_section, struct row_sequence,
    ORDER(x->section, y->section) ?: ORDER(x->begin, y->begin))

static int
sequence_add(struct cubin_parts *p, size_t *cap, const struct row_sequence *s)
{
	struct row_sequence *grown;

	if (p->sequences >= MAX_SEQUENCES)
		return 0;
	if (p->sequences == *cap) {
		*cap = *cap == 0 ? 16 : 2 * *cap;
		grown = realloc(p->sequence, *cap * sizeof(*grown));
		if (grown == NULL)
			return -1;
		p->sequence = grown;
	}
	p->sequence[p->sequences++] = *s;
	return 0;
}

static int
line_unit_index(struct cubin_parts *p, const struct line_unit *u, size_t *cap)
{
	struct row_sequence s = { LINE_SECTION_NONE, u->begin, u->program, 0 };
	enum event event;
	struct machine m;

	machine_start(&m, p, u, u->program, u->end);
	while ((event = machine_run(&m)) != EVENT_OVER) {
		if (s.section == LINE_SECTION_NONE)
			s.section = m.section;
		if (event != EVENT_END)
			continue;
		s.end = (size_t)(m.c.p - p->line);
		if (s.section != LINE_SECTION_NONE && sequence_add(p, cap, &s) != 0)
			return -1;
		s.section = LINE_SECTION_NONE;
		s.begin = s.end;
		machine_reset(&m);
	}
	return 0;
}

int
lines_index(struct cubin_parts *p)
{
	size_t at = 0, cap = 0;
	struct line_unit u;

	while (at < p->line_size) {
		if (line_unit_read(p, at, &u) == 0 && line_unit_index(p, &u, &cap) != 0)
			return -1;
		if (u.end <= at)
			break;
		at = u.end;
	}
	if (p->sequences > 0)
		qsort(p->sequence, p->sequences, sizeof(*p->sequence),
		    by_section);
	return 0;
}
