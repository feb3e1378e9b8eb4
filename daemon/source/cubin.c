/*
 * source/cubin.c: sections and symbols of a cubin. libelf finds the sections;
 * their contents are read from the buffer, with each offset checked.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "base/error.h"
#include "base/sort.h"
#include "source/parts.h"

#define STO_CUDA_ENTRY 0x10
#define NAME_MOST 16384u	/* of a function: the limit of
				 * base/demangle.c */
#define OSABI_CUDA 65		/* since CUDA 13, with ABI version 8 */

/* While the tables are read. */
struct opening {
	struct cubin *c;
	Elf *elf;
	struct section *section;
	size_t sections;
	struct section symtab, strtab;
};

static void
section_read(const struct opening *o, const GElf_Shdr *h, struct section *s)
{

	s->type = h->sh_type;
	s->link = h->sh_link;
	s->info = h->sh_info;
	if (h->sh_type == SHT_NOBITS || (h->sh_flags & SHF_COMPRESSED) != 0 ||
	    h->sh_offset > o->c->size ||
	    h->sh_size > o->c->size - h->sh_offset)
		return;
	s->p = o->c->bytes + h->sh_offset;
	s->size = h->sh_size;
	s->code = h->sh_type == SHT_PROGBITS && s->size > 0 &&
	    (h->sh_flags & SHF_EXECINSTR) != 0;
}

/* Bytes of code in a section; 0 if it is no code. */
static size_t
code_size(const struct opening *o, uint32_t index)
{

	if (index >= o->sections || !o->section[index].code)
		return 0;
	return o->section[index].size;
}

/* Bytes of a section of strings up to the last terminator. */
static size_t
strings_size(const struct section *s)
{
	const uint8_t *nul = s->size == 0 ? NULL :
	    memrchr(s->p, '\0', s->size);

	return nul == NULL ? 0 : (size_t)(nul - s->p) + 1;
}

static void
section_named(struct opening *o, const char *name, const struct section *s)
{
	struct cubin_parts *p = o->c->parts;

	if (strcmp(name, ".debug_line") == 0) {
		p->line = s->p;
		p->line_size = s->size;
	} else if (strcmp(name, ".debug_str") == 0) {
		p->string = (const char *)s->p;
		p->string_size = strings_size(s);
	} else if (strcmp(name, ".debug_info") == 0)
		o->c->debug = s->size > 0;
}

static int
sections_read(struct opening *o, struct error *e)
{
	size_t names, n, i, codes = 0;
	const char *name;
	GElf_Shdr h;

	if (elf_getshdrnum(o->elf, &n) != 0 ||
	    elf_getshdrstrndx(o->elf, &names) != 0 || n == 0)
		return error_set(e, "the cubin's sections are damaged");
	if ((o->section = calloc(n + 1, sizeof(*o->section))) == NULL)
		return error_memory(e);
	o->sections = n;
	for (i = 1; i < n; i++) {
		if (gelf_getshdr(elf_getscn(o->elf, i), &h) == NULL)
			return error_set(e,
			    "the cubin's sections are damaged");
		section_read(o, &h, &o->section[i]);
		if (o->section[i].type == SHT_SYMTAB)
			o->symtab = o->section[i];
		name = elf_strptr(o->elf, names, h.sh_name);
		if (name != NULL && o->section[i].type == SHT_PROGBITS)
			section_named(o, name, &o->section[i]);
		if (o->section[i].code) {
			o->c->parts->only = codes == 0 ? (uint32_t)i : 0;
			codes++;
		}
	}
	if (o->symtab.link < n)
		o->strtab = o->section[o->symtab.link];
	o->strtab.size = strings_size(&o->strtab);
	return 0;
}

static Elf64_Sym
symbol_at(const struct opening *o, size_t i)
{
	Elf64_Sym s;

	memcpy(&s, o->symtab.p + i * sizeof(s), sizeof(s));
	return s;
}

COMPARE(by_name, struct cubin_function,
    (x->name == y->name ? 0 : strcmp(x->name, y->name)) ?:
    ORDER(x->symbol, y->symbol))

static int
functions_read(struct opening *o, struct error *e)
{
	struct cubin *c = o->c;
	struct cubin_function *f;
	const char *name;
	size_t n = o->symtab.size / sizeof(Elf64_Sym), i, cap = 0, code;
	Elf64_Sym s;

	for (i = 0; i < n && c->functions < CUBIN_MAX_FUNCTIONS; i++) {
		s = symbol_at(o, i);
		if (ELF64_ST_TYPE(s.st_info) != STT_FUNC ||
		    s.st_name >= o->strtab.size || s.st_size == 0)
			continue;
		name = (const char *)o->strtab.p + s.st_name;
		code = code_size(o, s.st_shndx);
		if (*name == '\0' || s.st_value > code ||
		    s.st_size > code - s.st_value ||
		    strnlen(name, NAME_MOST + 1) > NAME_MOST)
			continue;
		if (c->functions == cap) {
			cap = cap == 0 ? 16 : 2 * cap;
			f = realloc(c->function, cap * sizeof(*f));
			if (f == NULL)
				return error_memory(e);
			c->function = f;
		}
		f = &c->function[c->functions++];
		memset(f, 0, sizeof(*f));
		f->name = name;
		f->symbol = (uint32_t)i;
		f->section = s.st_shndx;
		f->offset = (uint32_t)s.st_value;
		f->size = (uint32_t)s.st_size;
		f->entry = (s.st_other & STO_CUDA_ENTRY) != 0;
	}
	if (c->functions > 0)
		qsort(c->function, c->functions, sizeof(*c->function),
		    by_name);
	return 0;
}

COMPARE(by_place, struct relocation, ORDER(x->at, y->at))

/* Every function has a section at address 0: the section of an address in
 * .debug_line is known from its relocation only. */
static int
relocations_of(struct opening *o, const struct section *s, struct error *e)
{
	size_t size = s->type == SHT_RELA ? sizeof(Elf64_Rela) :
	    sizeof(Elf64_Rel), n = s->size / size, i;
	size_t symbols = o->symtab.size / sizeof(Elf64_Sym);
	struct cubin_parts *p = o->c->parts;
	struct relocation *r;
	Elf64_Rela rela;
	Elf64_Sym sym;

	if (n > MAX_RELOCATIONS - p->relocations)
		n = MAX_RELOCATIONS - p->relocations;
	if (n == 0)
		return 0;
	r = realloc(p->relocation, (p->relocations + n) * sizeof(*r));
	if (r == NULL)
		return error_memory(e);
	p->relocation = r;
	for (i = 0; i < n; i++) {
		memset(&rela, 0, sizeof(rela));
		memcpy(&rela, s->p + i * size, size);
		if (ELF64_R_SYM(rela.r_info) >= symbols)
			continue;
		sym = symbol_at(o, ELF64_R_SYM(rela.r_info));
		if (code_size(o, sym.st_shndx) == 0)
			continue;
		r = &p->relocation[p->relocations++];
		r->at = rela.r_offset;
		r->section = sym.st_shndx;
		r->address = sym.st_value + (uint64_t)rela.r_addend;
		r->addend = s->type == SHT_RELA;
	}
	return 0;
}

static int
relocations_read(struct opening *o, struct error *e)
{
	struct cubin_parts *p = o->c->parts;
	const struct section *s;
	size_t i;

	for (i = 1; i < o->sections && p->line_size > 0; i++) {
		s = &o->section[i];
		if ((s->type != SHT_REL && s->type != SHT_RELA) ||
		    s->info == 0 || s->info >= o->sections ||
		    o->section[s->info].p != p->line)
			continue;
		if (relocations_of(o, s, e) != 0)
			return -1;
	}
	if (p->relocations > 0)
		qsort(p->relocation, p->relocations, sizeof(*p->relocation),
		    by_place);
	return 0;
}

/* EF_CUDA_SM is the low byte, with the newer ABI the second one. */
static uint32_t
arch_of(const GElf_Ehdr *h)
{

	if (h->e_ident[EI_OSABI] == OSABI_CUDA &&
	    h->e_ident[EI_ABIVERSION] >= 8)
		return h->e_flags >> 8 & 0xff;
	return h->e_flags & 0xff;
}

static int
header_read(struct opening *o, struct error *e)
{
	GElf_Ehdr h;

	if (o->c->size < sizeof(Elf64_Ehdr) || o->c->size > CUBIN_MAX_BYTES ||
	    memcmp(o->c->bytes, ELFMAG, SELFMAG) != 0 ||
	    o->c->bytes[EI_CLASS] != ELFCLASS64 ||
	    o->c->bytes[EI_DATA] != ELFDATA2LSB)
		return error_set(e, "that is no cubin");
	elf_version(EV_CURRENT);
	/* libelf only reads: the cast satisfies its prototype. */
	o->elf = elf_memory((char *)(uintptr_t)o->c->bytes, o->c->size);
	if (o->elf == NULL || elf_kind(o->elf) != ELF_K_ELF ||
	    gelf_getehdr(o->elf, &h) == NULL)
		return error_set(e, "the cubin is damaged: %s",
		    elf_errmsg(-1));
	if (h.e_machine != EM_CUDA)
		return error_set(e, "that is an ELF file, but no cubin");
	o->c->arch = arch_of(&h);
	return 0;
}

int
cubin_open(struct cubin *c, const uint8_t *bytes, size_t size,
    struct error *e)
{
	struct opening o = { .c = c };
	int rc = -1;

	memset(c, 0, sizeof(*c));
	c->bytes = bytes;
	c->size = size;
	if ((c->parts = calloc(1, sizeof(*c->parts))) == NULL) {
		error_memory(e);
		goto out;
	}
	if (header_read(&o, e) != 0 || sections_read(&o, e) != 0 ||
	    functions_read(&o, e) != 0 || relocations_read(&o, e) != 0)
		goto out;
	c->lines = c->parts->line_size > 0;
	if (lines_index(c->parts) != 0) {
		error_memory(e);
		goto out;
	}
	c->parts->section = o.section;
	c->parts->sections = o.sections;
	c->parts->symtab = o.symtab;
	c->parts->strtab = o.strtab;
	o.section = NULL;
	if (launches_index(c->parts) != 0) {
		error_memory(e);
		goto out;
	}
	rc = 0;
out:
	free(o.section);
	elf_end(o.elf);
	if (rc != 0)
		cubin_close(c);
	return rc;
}

void
cubin_close(struct cubin *c)
{

	if (c->parts != NULL) {
		free(c->parts->section);
		free(c->parts->relocation);
		free(c->parts->sequence);
		free(c->parts->launching);
		free(c->parts);
	}
	free(c->function);
	memset(c, 0, sizeof(*c));
}

const struct cubin_function *
cubin_find(const struct cubin *c, const char *name, uint32_t symbol)
{
	size_t low, i;

	low = FIRST_NOT(mid, 0, c->functions,
	    strcmp(c->function[mid].name, name) < 0);
	for (i = low; i < c->functions &&
	    strcmp(c->function[i].name, name) == 0; i++)
		if (c->function[i].symbol == symbol)
			return &c->function[i];
	return i == low + 1 ? &c->function[low] : NULL;
}

const uint8_t *
cubin_code(const struct cubin *c, uint32_t section, size_t *size)
{
	const struct cubin_parts *p = c->parts;

	*size = 0;
	if (section >= p->sections || !p->section[section].code)
		return NULL;
	*size = p->section[section].size;
	return p->section[section].p;
}

void
cubin_linked(const struct cubin *c, uint32_t section, uint32_t *symbol,
    size_t count)
{
	const struct cubin_parts *p = c->parts;
	const struct section *s;
	size_t i, k, size, n = 0;
	Elf64_Rel r;

	for (i = 1; i < p->sections; i++) {
		s = &p->section[i];
		if ((s->type != SHT_REL && s->type != SHT_RELA) ||
		    s->info != section || section == 0)
			continue;
		size = s->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(r);
		/* Sections may overlap. */
		for (k = 0; k + size <= s->size && n < MAX_RELOCATIONS;
		    k += size, n++) {
			memcpy(&r, s->p + k, sizeof(r));
			if (r.r_offset / CUBIN_STEP < count)
				symbol[r.r_offset / CUBIN_STEP] =
				    (uint32_t)ELF64_R_SYM(r.r_info);
		}
	}
}

const char *
cubin_symbol(const struct cubin *c, uint32_t symbol)
{
	const struct cubin_parts *p = c->parts;
	Elf64_Sym s;

	if (symbol >= p->symtab.size / sizeof(s))
		return NULL;
	memcpy(&s, p->symtab.p + symbol * sizeof(s), sizeof(s));
	if (s.st_name >= p->strtab.size)
		return NULL;
	return (const char *)p->strtab.p + s.st_name;
}
