#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "again_code.h"

#define STEP 16u		/* bytes of an instruction */
#define OLDEST 80u		/* architectures whose encoding was looked at, */
#define NEWEST 90u
#define FAR_BRANCH 90u		/* from here on branches have their offset in
				 * two parts */
#define EXTERNS 0x0f		/* EIATTR_EXTERNS in .nv.info: functions of the
				 * driver that the kernel calls */

struct image {
	const uint8_t *p;
	size_t size;
	Elf64_Ehdr head;
	Elf64_Shdr names;
	unsigned arch;
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
section_at(const struct image *m, uint32_t i, Elf64_Shdr *s)
{

	return i < m->head.e_shnum && m->head.e_shoff < m->size &&
	    copy(m, m->head.e_shoff + (uint64_t)i * sizeof(*s), s,
	    sizeof(*s));
}

static bool
open_image(struct image *m)
{
	unsigned arch;

	if (!copy(m, 0, &m->head, sizeof(m->head)) ||
	    memcmp(m->head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    m->head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    m->head.e_shentsize != sizeof(Elf64_Shdr) ||
	    !section_at(m, m->head.e_shstrndx, &m->names) ||
	    m->names.sh_offset > m->size ||
	    m->names.sh_size > m->size - m->names.sh_offset)
		return false;
	/* Since CUDA 13 in the second byte. */
	arch = m->head.e_ident[EI_ABIVERSION] >= 8 ?
	    m->head.e_flags >> 8 & 0xff : m->head.e_flags & 0xff;
	m->arch = arch;
	return arch >= OLDEST && arch <= NEWEST;
}

/* Is section ${s} called ${prefix}${name}? */
static bool
is_called(const struct image *m, const Elf64_Shdr *s, const char *prefix,
    const char *name)
{
	size_t a = strlen(prefix), b = strlen(name) + 1;
	const char *at;

	if (s->sh_name > m->names.sh_size ||
	    a + b > m->names.sh_size - s->sh_name)
		return false;
	at = (const char *)m->p + m->names.sh_offset + s->sh_name;
	return memcmp(at, prefix, a) == 0 && memcmp(at + a, name, b) == 0;
}

/* What the sections say. */
struct parts {
	Elf64_Shdr text, info;
	bool code, linked;
};

static bool
has_bytes(const struct image *m, const Elf64_Shdr *s)
{

	return s->sh_offset <= m->size && s->sh_size <= m->size - s->sh_offset;
}

static void
find_parts(const struct image *m, const char *kernel, struct parts *f)
{
	Elf64_Shdr s;
	uint32_t i;

	for (i = 1; section_at(m, i, &s); i++) {
		if (is_called(m, &s, ".text.", kernel)) {
			f->text = s;
			f->code = has_bytes(m, &s);
		} else if (is_called(m, &s, ".nv.info.", kernel)) {
			f->info = s;
		} else if (is_called(m, &s, ".rel.text.", kernel) ||
		    is_called(m, &s, ".rela.text.", kernel)) {
			f->linked |= s.sh_size > 0;
		}
	}
}

/* Does .nv.info of the kernel name functions of the driver? Damaged: yes. */
static bool
calls_driver(const struct image *m, const Elf64_Shdr *info)
{
	uint64_t at = info->sh_offset, left = info->sh_size;
	uint8_t head[4];
	uint32_t more;

	if (left == 0 || !has_bytes(m, info))
		return true;
	for (; left >= sizeof(head); at += more, left -= more) {
		if (!copy(m, at, head, sizeof(head)))
			return true;
		/* Format 4 has a size, the others hold their value here. */
		more = sizeof(head) + (head[0] == 4 ?
		    (uint32_t)head[2] + 256u * head[3] : 0);
		if (head[1] == EXTERNS || more > left)
			return true;
	}
	return false;
}

/* An instruction. */
struct word {
	uint64_t low, high;
};

static unsigned
opcode(const struct word *w)
{

	return (unsigned)(w->low & 0x1ff);
}

/* The opcodes, without the bits that tell the forms of their operands; from
 * what ptxas of CUDA 13.0 makes for sm_80 and sm_90. */
enum {
	OP_CALL_ABS = 0x143, OP_CALL = 0x144, OP_BRA = 0x147, OP_BRX = 0x149,
	OP_JMP = 0x14a, OP_JMX = 0x14c, OP_BRXU = 0x158, OP_JMXU = 0x159,
	OP_LD = 0x180, OP_LDG = 0x181, OP_ATOM = 0x18a, OP_ATOM_CAS = 0x18b,
	OP_MEMBAR = 0x192,
	OP_SURFACE = 0x199, OP_SURFACE_LAST = 0x19f,	/* SULD to SURED */
	OP_ATOM_F = 0x1a2, OP_ATOMG_F = 0x1a3, OP_ATOMG = 0x1a8,
	OP_ATOMG_CAS = 0x1a9
};

/* Can it see what another thread wrote meanwhile? */
static bool
reads_again(const struct word *w)
{
	unsigned order;

	switch (opcode(w)) {
	case OP_LD:
	case OP_LDG:
		order = w->high >> 12 & 0x1f;
		return order != 1 && order != 9;	/* weak, constant */
	case OP_ATOM:
	case OP_ATOM_CAS:
	case OP_ATOM_F:
	case OP_ATOMG_F:
	case OP_ATOMG:
	case OP_ATOMG_CAS:
	case OP_MEMBAR:
		return true;
	default:
		return false;
	}
}

/* Has it an operand in the constant bank that holds the addresses of the
 * module's variables? */
static bool
names_variable(const struct word *w)
{
	unsigned form = (unsigned)(w->low >> 9 & 7);

	return (form == 3 || form == 5) && (w->low >> 54 & 0x1f) == 4;
}

/* Does it act outside of memory, or jump somewhere unknown? */
static bool
is_foreign(const struct word *w)
{

	if (names_variable(w))
		return true;
	switch (opcode(w)) {
	case OP_CALL_ABS:
	case OP_JMP:
	case OP_JMX:
	case OP_JMXU:
		return true;
	case OP_CALL:	/* by a register */
		return (w->low & 0xe00) != 0x800;
	default:
		return opcode(w) >= OP_SURFACE &&
		    opcode(w) <= OP_SURFACE_LAST;
	}
}

/* Where a branch at ${pc} goes, as an offset in the section. */
static int64_t
target_of(const struct image *m, const struct word *w, int64_t pc)
{
	/* Bits 34 to 81, signed, in words of 4 bytes. */
	int64_t far = (int64_t)((w->high & 0x3ffff) << 46 |
	    w->low >> 34 << 16) >> 16;

	if (m->arch >= FAR_BRANCH)
		far = far * 256 + (int64_t)(w->low >> 16 & 0xff);
	return pc + STEP + far * 4;
}

/* Does a loop contain an instruction that reads again? Those of a loop lie
 * between its backward branches and their targets: seen from the end, behind
 * the least target so far. After a call or a branch by a table all of the
 * kernel may be a loop. */
static enum again_code
look(const struct image *m, const Elf64_Shdr *text)
{
	int64_t pc, to, least = INT64_MAX;
	bool anywhere = false, again = false, loops = false;
	struct word w;

	for (pc = (int64_t)(text->sh_size / STEP * STEP) - STEP; pc >= 0;
	    pc -= STEP) {
		if (!copy(m, text->sh_offset + (uint64_t)pc, &w, sizeof(w)))
			return AGAIN_CODE_UNKNOWN;
		if (is_foreign(&w))
			return AGAIN_CODE_OUTSIDE;
		if (opcode(&w) == OP_BRA || opcode(&w) == OP_CALL) {
			to = target_of(m, &w, pc);
			if (to < 0 || (uint64_t)to >= text->sh_size)
				return AGAIN_CODE_OUTSIDE;
			if (opcode(&w) == OP_BRA && to <= pc && to < least)
				least = to;
		}
		anywhere |= opcode(&w) == OP_CALL || opcode(&w) == OP_BRX ||
		    opcode(&w) == OP_BRXU;
		again |= reads_again(&w);
		loops |= reads_again(&w) && pc >= least;
	}
	return loops || (again && anywhere) ? AGAIN_CODE_WAITS :
	    AGAIN_CODE_CLOSED;
}

enum again_code
again_code(const void *image, size_t size, const char *kernel)
{
	struct image m = { image, size, { .e_shnum = 0 }, { .sh_size = 0 }, 0 };
	struct parts f = { .code = false };

	if (!open_image(&m))
		return AGAIN_CODE_UNKNOWN;
	find_parts(&m, kernel, &f);
	if (!f.code || f.text.sh_size < STEP)
		return AGAIN_CODE_UNKNOWN;
	if (f.linked || calls_driver(&m, &f.info))
		return AGAIN_CODE_OUTSIDE;
	return look(&m, &f.text);
}

/* Is there a symbol malloc? Names end with NUL and follow one. */
static bool
names_malloc(const struct image *m, const Elf64_Shdr *strings)
{

	return !has_bytes(m, strings) || memmem(m->p + strings->sh_offset,
	    strings->sh_size, "\0malloc", sizeof("\0malloc")) != NULL;
}

bool
again_code_keeps(const void *image, size_t size)
{
	struct image m = { image, size, { .e_shnum = 0 }, { .sh_size = 0 }, 0 };
	Elf64_Shdr s;
	uint32_t i;

	if (!open_image(&m))
		return true;
	for (i = 1; section_at(&m, i, &s); i++)
		if ((s.sh_type == SHT_STRTAB && names_malloc(&m, &s)) ||
		    (is_called(&m, &s, ".nv.global", "") && s.sh_size > 0))
			return true;
	return i < m.head.e_shnum;
}
