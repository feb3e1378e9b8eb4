#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters.h"
#include "hook.h"
#include "inject.h"

#if defined(__x86_64__)
#define SLOT R_X86_64_JUMP_SLOT
#define DATA R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define SLOT R_AARCH64_JUMP_SLOT
#define DATA R_AARCH64_GLOB_DAT
#endif

/* What of an object's dynamic section says where its imports are. */
struct imports {
	const ElfW(Rela) *plt, *rel;
	size_t plts, rels;
	const ElfW(Sym) *symbol;
	const char *string;
};

/*
 * In the place of exit. Its handlers run newest first: those of CUPTI's
 * libraries, registered as they are used, come before ours, and a thread that
 * measures at that moment would find them torn down under it.
 */
static void
depart(int status)
{

	counters_close();
	exit(status);
}

/* In the place of _exit: in a forked or vforked child inject_finish sees
 * another process and does nothing. */
static void
leave(int status)
{

	inject_finish(BYE_EXIT);
	for (;;)
		syscall(SYS_exit_group, status);
}

static void
read_dynamic(const ElfW(Dyn) *d, struct imports *im)
{

	memset(im, 0, sizeof(*im));
	/* glibc has relocated these addresses already. */
	for (; d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_JMPREL:
			im->plt = (const void *)d->d_un.d_ptr;
			break;
		case DT_PLTRELSZ:
			im->plts = d->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_RELA:
			im->rel = (const void *)d->d_un.d_ptr;
			break;
		case DT_RELASZ:
			im->rels = d->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_SYMTAB:
			im->symbol = (const void *)d->d_un.d_ptr;
			break;
		case DT_STRTAB:
			im->string = (const void *)d->d_un.d_ptr;
			break;
		}
}

static void
patch(uintptr_t at, void (*to)(int))
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = at & -page;

	/* The table may have been made read-only after relocation. It stays
	 * writable then: another thread may be resolving a symbol in it. */
	if (mprotect((void *)from, at + sizeof(to) - from,
	    PROT_READ | PROT_WRITE) == 0)
		memcpy((void *)at, &to, sizeof(to));
}

static void
patch_table(uintptr_t base, const struct imports *im, const ElfW(Rela) *r,
    size_t n)
{
#ifdef SLOT
	const char *name;
	size_t i;

	for (i = 0; i < n; i++) {
		if (ELF64_R_TYPE(r[i].r_info) != SLOT &&
		    ELF64_R_TYPE(r[i].r_info) != DATA)
			continue;
		name = im->string +
		    im->symbol[ELF64_R_SYM(r[i].r_info)].st_name;
		if (strcmp(name, "_exit") == 0 || strcmp(name, "_Exit") == 0)
			patch(base + r[i].r_offset, leave);
		else if (strcmp(name, "exit") == 0)
			patch(base + r[i].r_offset, depart);
	}
#else
	(void)base, (void)im, (void)r, (void)n;
#endif
}

static int
visit(struct dl_phdr_info *info, size_t size, void *cookie)
{
	const char *name = info->dlpi_name != NULL ? info->dlpi_name : "";
	struct imports im;
	int i;

	(void)size;
	(void)cookie;
	/* The vdso's dynamic section is not relocated; libc's own calls and
	 * ours are to stay what they are. */
	if (strstr(name, "vdso") != NULL || strstr(name, "/libc.so") != NULL ||
	    strstr(name, "/ld-linux") != NULL ||
	    strstr(name, "libcudadvise_injection") != NULL)
		return (0);
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		read_dynamic((const void *)(info->dlpi_addr +
		    info->dlpi_phdr[i].p_vaddr), &im);
		/* An address below the object's own was not relocated. */
		if ((uintptr_t)im.symbol < info->dlpi_addr ||
		    (uintptr_t)im.string < info->dlpi_addr ||
		    im.symbol == NULL || im.string == NULL)
			continue;
		if (im.plt != NULL && (uintptr_t)im.plt >= info->dlpi_addr)
			patch_table(info->dlpi_addr, &im, im.plt, im.plts);
		if (im.rel != NULL && (uintptr_t)im.rel >= info->dlpi_addr)
			patch_table(info->dlpi_addr, &im, im.rel, im.rels);
	}
	return (0);
}

void
hook_exit(void)
{

	dl_iterate_phdr(visit, NULL);
}
