#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/clock.h"
#include "base/sort.h"
#include "capture/symbol_debug.h"

#define UNITS (1u << 20)	/* compilation units */
#define DEEP 64			/* nested scopes */

/* The code of a compilation unit. */
struct unit_range {
	uint64_t start, end;
	Dwarf_Off die;
};

/* A compilation unit. With split debug information the DIE of its code is in another
 * file than its line table. */
struct compile_unit {
	Dwarf_Die lines, code;
};

struct path {
	struct path *next;
	char text[];
};

struct symbol_debug {
	Dwarf *dwarf;
	Dwarf_Aranges *ranges;	/* NULL: the file has none */
	struct unit_range *unit;	/* sorted by start; used where aranges lack
					 * an address */
	size_t units, units_cap;
	bool units_read;
	struct path *paths;	/* joined with their directory, to be freed */
};

struct symbol_debug *
symbol_debug_open(Elf *elf)
{
	struct symbol_debug *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	if ((d->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL)) == NULL) {
		free(d);
		return NULL;
	}
	if (dwarf_getaranges(d->dwarf, &d->ranges, NULL) != 0)
		d->ranges = NULL;
	return d;
}

void
symbol_debug_close(struct symbol_debug *d)
{

	struct path *p;

	if (d == NULL)
		return;
	while ((p = d->paths) != NULL) {
		d->paths = p->next;
		free(p);
	}
	dwarf_end(d->dwarf);
	free(d->unit);
	free(d);
}

static bool
past(uint64_t deadline)
{
	return clock_mono() > deadline;
}

COMPARE(unit_compare, struct unit_range, ORDER(x->start, y->start))

static int
add_unit(struct symbol_debug *d, uint64_t start, uint64_t end, Dwarf_Off die)
{
	struct unit_range *grown;
	size_t cap = d->units_cap == 0 ? 256 : 2 * d->units_cap;

	if (start >= end)
		return 0;
	if (d->units == UNITS)
		return -1;
	if (d->units == d->units_cap) {
		if ((grown = realloc(d->unit, cap * sizeof(*grown))) == NULL)
			return -1;
		d->unit = grown;
		d->units_cap = cap;
	}
	d->unit[d->units++] = (struct unit_range){ start, end, die };
	return 0;
}

/* Reads the code ranges of all compilation units: not every compiler writes
 * .debug_aranges. */
static void
read_units(struct symbol_debug *d, uint64_t deadline)
{
	Dwarf_Off off = 0, next, die_off;
	Dwarf_Addr base, start, end;
	ptrdiff_t at;
	size_t header;
	Dwarf_Die die;
	unsigned i, n = 0;

	d->units_read = true;
	for (; n++ < UNITS && !past(deadline) && dwarf_nextcu(d->dwarf, off,
	    &next, &header, NULL, NULL, NULL) == 0 && next > off; off = next) {
		die_off = off + header;
		if (dwarf_offdie(d->dwarf, die_off, &die) == NULL)
			continue;
		for (at = 0, i = 0; i < UNITS && (at = dwarf_ranges(&die, at,
		    &base, &start, &end)) > 0; i++)
			if (add_unit(d, start, end, die_off) != 0)
				break;
	}
	if (d->units > 0)
		qsort(d->unit, d->units, sizeof(*d->unit), unit_compare);
}

static Dwarf_Die *
compile_unit_die(struct symbol_debug *d, uint64_t address, uint64_t deadline,
    Dwarf_Die *out)
{
	size_t low;
	Dwarf_Arange *range;
	Dwarf_Off off;

	if (d->ranges != NULL && (range = dwarf_getarange_addr(d->ranges,
	    address)) != NULL && dwarf_getarangeinfo(range, NULL, NULL,
	    &off) == 0)
		return dwarf_offdie(d->dwarf, off, out);
	if (!d->units_read)
		read_units(d, deadline);
	low = FIRST_NOT(mid, 0, d->units, d->unit[mid].start <= address);
	if (low == 0 || address >= d->unit[low - 1].end)
		return NULL;
	return dwarf_offdie(d->dwarf, d->unit[low - 1].die, out);
}

static int
compile_unit_of(struct symbol_debug *d, uint64_t address, uint64_t deadline,
    struct compile_unit *u)
{
	Dwarf_Die split;
	uint8_t type;

	if (compile_unit_die(d, address, deadline, &u->lines) == NULL)
		return -1;
	u->code = u->lines;
	memset(&split, 0, sizeof(split));
	if (dwarf_cu_info(u->lines.cu, NULL, &type, NULL, &split, NULL, NULL,
	    NULL) == 0 && type == DW_UT_skeleton && split.addr != NULL)
		u->code = split;
	return 0;
}

static const char *
name_of(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) != NULL ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a) != NULL ||
	    dwarf_attr_integrate(die, DW_AT_name, &a) != NULL)
		return dwarf_formstring(&a);
	return NULL;
}

static uint32_t
number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	if (dwarf_attr(die, name, &a) == NULL ||
	    dwarf_formudata(&a, &v) != 0 || v > UINT32_MAX)
		return 0;
	return (uint32_t)v;
}

/* ${path} as an absolute path: relative ones are relative to the directory of the
 * compilation. Owned by ${d} or the file; NULL without memory. */
static const char *
absolute(struct symbol_debug *d, Dwarf_Die *unit, const char *path)
{
	struct path *p;
	Dwarf_Attribute a;
	const char *dir = NULL;
	size_t dirs, n;

	if (path == NULL || *path == '/')
		return path;
	if (dwarf_attr(unit, DW_AT_comp_dir, &a) != NULL)
		dir = dwarf_formstring(&a);
	if (dir == NULL || *dir != '/')
		return path;
	dirs = strlen(dir);
	n = strlen(path);
	if ((p = malloc(sizeof(*p) + dirs + n + 2)) == NULL)
		return NULL;
	memcpy(p->text, dir, dirs);
	p->text[dirs] = '/';
	memcpy(p->text + dirs + 1, path, n + 1);
	p->next = d->paths;
	d->paths = p;
	return p->text;
}

static const char *
call_file(struct symbol_debug *d, const struct compile_unit *u, Dwarf_Die *die)
{
	uint32_t index = number_of(die, DW_AT_call_file);
	Dwarf_Die code = u->code, lines = u->lines;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(&code, &files, &n) != 0 || index >= n)
		return NULL;
	return absolute(d, &lines, dwarf_filesrc(files, index, NULL, NULL));
}

/* The functions that contain ${address} below ${die}, outermost first: a function and
 * those inlined into it. Returns their number. */
static size_t
scopes_of(Dwarf_Die *die, uint64_t address, Dwarf_Die *out, size_t max,
    unsigned depth)
{
	Dwarf_Die child;
	size_t n;
	int tag;

	if (depth > DEEP || max == 0 || dwarf_child(die, &child) != 0)
		return 0;
	do {
		tag = dwarf_tag(&child);
		switch (tag) {
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
			if (dwarf_haspc(&child, address) <= 0)
				break;
			out[0] = child;
			return 1 + scopes_of(&child, address, out + 1,
			    max - 1, depth + 1);
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (dwarf_haspc(&child, address) > 0)
				return scopes_of(&child, address, out, max,
				    depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
			n = scopes_of(&child, address, out, max, depth + 1);
			if (n > 0)
				return n;
			break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return 0;
}

/* Fills ${p} from the innermost scope outwards: an inlined call ends one level, and its
 * call site begins the next. */
static size_t
walk(struct symbol_debug *d, const struct compile_unit *u, Dwarf_Die *scope,
    size_t scopes, struct symbol_place *p)
{
	size_t n = 0;

	while (scopes > 0 && n < SYMBOL_DEPTH) {
		p[n++].function = name_of(&scope[--scopes]);
		if (dwarf_tag(&scope[scopes]) == DW_TAG_subprogram ||
		    n == SYMBOL_DEPTH)
			break;
		p[n] = (struct symbol_place){ NULL,
		    call_file(d, u, &scope[scopes]),
		    number_of(&scope[scopes], DW_AT_call_line) };
	}
	return n;
}

size_t
symbol_debug_places(struct symbol_debug *d, uint64_t address,
    struct symbol_place *p, uint64_t deadline)
{
	Dwarf_Die scope[DEEP];
	struct compile_unit u;
	Dwarf_Line *line;
	size_t n;
	int number;

	if (past(deadline) || compile_unit_of(d, address, deadline, &u) != 0)
		return 0;
	memset(p, 0, SYMBOL_DEPTH * sizeof(*p));
	if ((line = dwarf_getsrc_die(&u.lines, address)) != NULL) {
		p[0].file = absolute(d, &u.lines,
		    dwarf_linesrc(line, NULL, NULL));
		if (dwarf_lineno(line, &number) == 0 && number > 0)
			p[0].line = (uint32_t)number;
	}
	n = walk(d, &u, scope, scopes_of(&u.code, address, scope, DEEP, 0), p);
	return n > 0 ? n : p[0].file != NULL && p[0].line > 0;
}
