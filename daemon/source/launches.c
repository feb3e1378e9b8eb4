/*
 * source/launches.c: kernels that launch kernels (dynamic parallelism). The
 * compiler turns <<<…>>> into a call of the device runtime, which ends in a
 * system call that the driver links in when it loads the code. Both have names,
 * and each call has a relocation with its target. A function has a section of
 * its own, which also has copies of the functions that it calls, unless those
 * were linked separately: a section launches if it refers to one of these
 * names, or to a function in a section that launches. (Taking a function's
 * address looks the same, and counts as a call.)
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "source/parts.h"

#define STO_CUDA_ENTRY 0x10
#define DEPTH_MOST 32	/* depth of calls */

/* Names in CUDA 12 and later, and before. */
static bool
is_runtime(const char *name)
{
	static const char *const start[] = {
		"__cudaCDP2LaunchDevice", "__cuda_syscall_cnpv2LaunchDevice",
		"cudaLaunchDevice", "__cuda_syscall_cnpLaunchDevice"
	};

	for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++)
		if (strncmp(name, start[i], strlen(start[i])) == 0)
			return true;
	return false;
}

static bool
symbol_at(const struct cubin_parts *p, uint32_t i, Elf64_Sym *s)
{

	if (i >= p->symtab.size / sizeof(*s))
		return false;
	memcpy(s, p->symtab.p + i * sizeof(*s), sizeof(*s));
	return s->st_name < p->strtab.size;
}

/* What a relocation's target means for the function that refers to it. */
enum reference { TARGET_NONE, TARGET_LAUNCH, TARGET_CALL };

static enum reference
target_of(const struct cubin_parts *p, uint32_t symbol, uint32_t from)
{
	Elf64_Sym s;

	if (!symbol_at(p, symbol, &s) || s.st_shndx == from)
		return TARGET_NONE;
	if (is_runtime((const char *)p->strtab.p + s.st_name))
		return TARGET_LAUNCH;
	/* Kernels are launched, never called. */
	if (p->launching == NULL || (s.st_other & STO_CUDA_ENTRY) != 0 ||
	    s.st_shndx >= p->sections || !p->section[s.st_shndx].code)
		return TARGET_NONE;
	return p->launching[s.st_shndx] ? TARGET_CALL : TARGET_NONE;
}

/* The ${k}th relocation of a section of relocations; false past the last. */
static bool
relocation_at(const struct section *s, size_t k, Elf64_Rel *r)
{
	size_t size = s->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(*r);

	if (k >= s->size / size)
		return false;
	memcpy(r, s->p + k * size, sizeof(*r));
	return true;
}

/* The section of code that these relocations apply to; 0 none. */
static uint32_t
relocates(const struct cubin_parts *p, const struct section *s)
{

	if ((s->type != SHT_REL && s->type != SHT_RELA) || s->p == NULL ||
	    s->info >= p->sections || !p->section[s->info].code)
		return 0;
	return s->info;
}

static bool
refers(const struct cubin_parts *p, const struct section *s, uint32_t from,
    size_t *left)
{
	Elf64_Rel r;
	size_t k;

	for (k = 0; *left > 0 && relocation_at(s, k, &r); k++, (*left)--)
		if (target_of(p, (uint32_t)ELF64_R_SYM(r.r_info), from) !=
		    TARGET_NONE)
			return true;
	return false;
}

static bool
names_runtime(const struct cubin_parts *p)
{
	size_t i, n = p->symtab.size / sizeof(Elf64_Sym);
	Elf64_Sym s;

	for (i = 0; i < n && i < UINT32_MAX; i++)
		if (symbol_at(p, (uint32_t)i, &s) &&
		    is_runtime((const char *)p->strtab.p + s.st_name))
			return true;
	return false;
}

int
launches_index(struct cubin_parts *p)
{
	size_t i, left = MAX_RELOCATIONS;	/* sections may overlap */
	bool more = names_runtime(p);
	uint32_t from;
	int depth;

	if (!more)
		return 0;
	if ((p->launching = calloc(p->sections + 1, 1)) == NULL)
		return -1;
	for (depth = 0; more && depth < DEPTH_MOST; depth++) {
		more = false;
		for (i = 1; i < p->sections; i++) {
			from = relocates(p, &p->section[i]);
			if (from == 0 || p->launching[from] != 0 ||
			    !refers(p, &p->section[i], from, &left))
				continue;
			p->launching[from] = 1;
			more = true;
		}
	}
	return 0;
}

COMPARE(by_pc, struct cubin_launch, ORDER(x->pc, y->pc))

/* Call sites past LAUNCHES_MAX are left out. */
static void
add(struct cubin_launch *out, size_t *n, uint32_t pc, bool direct)
{
	size_t i;

	pc -= pc % CUBIN_STEP;
	for (i = 0; i < *n; i++)
		if (out[i].pc == pc) {
			out[i].direct |= direct;
			return;
		}
	if (*n < LAUNCHES_MAX)
		out[(*n)++] = (struct cubin_launch){ pc, direct };
}

size_t
cubin_launches(const struct cubin *c, const struct cubin_function *f,
    struct cubin_launch out[LAUNCHES_MAX])
{
	const struct cubin_parts *p = c->parts;
	size_t i, k, n = 0, left = MAX_RELOCATIONS;
	enum reference target;
	Elf64_Rel r;

	if (p->launching == NULL || f->section >= p->sections ||
	    p->launching[f->section] == 0)
		return 0;
	for (i = 1; i < p->sections; i++) {
		if (relocates(p, &p->section[i]) != f->section)
			continue;
		for (k = 0; left > 0 && relocation_at(&p->section[i], k, &r);
		    k++, left--) {
			if (r.r_offset < f->offset ||
			    r.r_offset - f->offset >= f->size)
				continue;
			target = target_of(p, (uint32_t)ELF64_R_SYM(r.r_info),
			    f->section);
			if (target != TARGET_NONE)
				add(out, &n, (uint32_t)(r.r_offset - f->offset),
				    target == TARGET_LAUNCH);
		}
	}
	if (n > 0)
		qsort(out, n, sizeof(out[0]), by_pc);
	return n;
}
