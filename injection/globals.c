#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "globals.h"

#define MANAGED 0x04	/* flag STO_CUDA_MANAGED of st_other, as readelf shows it */

struct image {
	const uint8_t *p;
	size_t size;
	Elf64_Ehdr head;
};

static bool
copy(const struct image *m, uint64_t at, void *to, size_t size)
{

	if (at > m->size || size > m->size - at)
		return false;
	memcpy(to, m->p + at, size);
	return true;
}

static bool
section(const struct image *m, uint32_t i, Elf64_Shdr *s)
{

	return i < m->head.e_shnum && m->head.e_shoff < m->size &&
	    copy(m, m->head.e_shoff + (uint64_t)i * sizeof(*s), s, sizeof(*s));
}

/* Whether the section holds variables in device memory (and not a kernel's shared
 * memory). */
static bool
holds_variables(const struct image *m, const Elf64_Shdr *names,
    const Elf64_Shdr *s)
{
	static const char *const kind[] = { ".nv.global", ".nv.global.init" };
	char name[sizeof(".nv.global.init")];
	size_t i, n;

	for (i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		n = strlen(kind[i]) + 1;	/* with the NUL */
		if (s->sh_name < names->sh_size &&
		    names->sh_offset < m->size &&
		    copy(m, names->sh_offset + s->sh_name, name, n) &&
		    memcmp(name, kind[i], n) == 0)
			return true;
	}
	return false;
}

/* The sections found. A cubin has one of each kind. */
struct found {
	uint32_t index[2];
	uint64_t bytes[2];
	unsigned n;
	Elf64_Shdr symbols;	/* sh_size 0: none */
};

static void
look(const struct image *m, struct found *f)
{
	Elf64_Shdr names, s;
	uint32_t i;

	if (!section(m, m->head.e_shstrndx, &names))
		return;
	for (i = 1; section(m, i, &s); i++) {
		if (s.sh_type == SHT_SYMTAB && f->symbols.sh_size == 0)
			f->symbols = s;
		else if (f->n < 2 && s.sh_size > 0 && (s.sh_type ==
		    SHT_NOBITS || s.sh_type == SHT_PROGBITS) &&
		    holds_variables(m, &names, &s)) {
			f->index[f->n] = i;
			f->bytes[f->n++] = s.sh_size;
		}
	}
}

static uint64_t
managed_bytes(const struct image *m, const struct found *f, uint64_t all)
{
	uint64_t at = f->symbols.sh_offset, bytes = 0;
	uint64_t n = f->symbols.sh_size / sizeof(Elf64_Sym);
	Elf64_Sym s;

	for (; n > 0 && at < m->size && copy(m, at, &s, sizeof(s)); n--) {
		at += sizeof(s);
		if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT ||
		    (s.st_other & MANAGED) == 0 || (s.st_shndx != f->index[0] &&
		    s.st_shndx != f->index[f->n - 1]))
			continue;
		/* These symbols are in the sections that were counted: only in a
		 * damaged image are they larger than these. */
		if (s.st_size > all - bytes)
			return all;
		bytes += s.st_size;
	}
	return bytes;
}

struct globals
globals_of(const void *image, size_t size)
{
	struct image m = { image, size, { .e_shnum = 0 } };
	struct found f = { .n = 0 };
	struct globals g = { 0, 0 };
	unsigned i;

	if (!copy(&m, 0, &m.head, sizeof(m.head)) ||
	    memcmp(m.head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    m.head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    m.head.e_shentsize != sizeof(Elf64_Shdr))
		return g;
	look(&m, &f);
	if (f.n == 0)
		return g;
	for (i = 0; i < f.n; i++)
		g.device += f.bytes[i];
	g.managed = managed_bytes(&m, &f, g.device);
	g.device -= g.managed;
	return g;
}
