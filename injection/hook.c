#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hook.h"
#include "pages.h"

#if defined(__x86_64__)
#define SLOT R_X86_64_JUMP_SLOT
#define DATA R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define SLOT R_AARCH64_JUMP_SLOT
#define DATA R_AARCH64_GLOB_DAT
#endif

/* abort takes no argument, and ignores this one. */
typedef void (*ending)(int);

/* What the stubs below call first. */
static void (*departs)(void);
static void (*finishes)(enum wire_bye reason);

/*
 * Called before exit. Its handlers run newest first: the handlers of CUPTI's libraries,
 * registered on first use, run before ours, and would tear CUPTI down while a thread
 * measures.
 */
static void
depart(void)
{

	departs();
}

/* Called before _exit. In a forked or vforked child, ${finishes} sees another pid and
 * does nothing. */
static void
leave(void)
{

	finishes(BYE_EXIT);
}

/* Called before abort, and does nothing if the program has a handler for SIGABRT, which
 * may continue elsewhere. */
static void
fall(void)
{
	struct sigaction sa;

	if (sigaction(SIGABRT, NULL, &sa) == 0 &&
	    !(sa.sa_flags & SA_SIGINFO) && sa.sa_handler == SIG_DFL)
		finishes(BYE_SIGNAL);
}

/*
 * Stubs, each with one previous target. A library that comes before libc may have its
 * own _exit, which ends in libc's: then the two need a stub each. Calls with more than
 * WAYS different targets are not patched.
 */
#define WAYS 4
#define WAY(to, n)							\
static ending to##_old_##n;						\
static void								\
to##_##n(int status)							\
{									\
									\
	to();								\
	to##_old_##n(status);						\
}
#define WAYS_OF(to) WAY(to, 0) WAY(to, 1) WAY(to, 2) WAY(to, 3)
WAYS_OF(depart)
WAYS_OF(leave)
WAYS_OF(fall)

#define ROW(to, n) { to##_##n, &to##_old_##n }
#define ROWS(to) { ROW(to, 0), ROW(to, 1), ROW(to, 2), ROW(to, 3) }
static const struct {
	ending us, *old;
} way[][WAYS] = { ROWS(depart), ROWS(leave), ROWS(fall) };

static struct {
	const char *name;
	unsigned row;		/* of way */
	ending global;		/* the target that dlsym finds */
} called[] = {
	{ "exit", 0, NULL }, { "_exit", 1, NULL }, { "_Exit", 1, NULL },
	{ "abort", 2, NULL },
};
#define CALLED (sizeof(called) / sizeof(called[0]))

static ending
way_through(unsigned row, ending old)
{
	size_t i;

	for (i = 0; i < WAYS && *way[row][i].old != NULL; i++)
		if (*way[row][i].old == old)
			return way[row][i].us;
	if (i == WAYS)
		return NULL;
	*way[row][i].old = old;
	return way[row][i].us;
}

/* The import tables of an object, from its dynamic section. */
struct imports {
	const ElfW(Rela) *plt, *rel;
	size_t plts, rels;
	const ElfW(Sym) *symbol;
	const char *string;
};

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

/* Whether ${at} is inside the object itself. */
static bool
is_within(const struct dl_phdr_info *info, uintptr_t at)
{
	const ElfW(Phdr) *p;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && at - info->dlpi_addr -
		    p->p_vaddr < p->p_memsz)
			return true;
	}
	return false;
}

/*
 * Writes ${to} to the slot ${at}. A table that is read-only after relocation is made
 * read-only again. A writable one is left writable: it is filled as symbols are first
 * called, or another thread is loading its object, and may have made it read-only since
 * pages_read.
 */
static void
patch(uintptr_t at, ending to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = at & -page;
	int before = pages_protection(at);

	if ((before & PROT_READ) == 0 || (before & PROT_EXEC) != 0 ||
	    mprotect((void *)from, page, PROT_READ | PROT_WRITE) != 0)
		return;
	__atomic_store_n((ending *)at, to, __ATOMIC_RELEASE);
	if ((before & PROT_WRITE) == 0)
		mprotect((void *)from, page, before);
}

static void
patch_slot(const struct dl_phdr_info *info, uintptr_t at, unsigned c)
{
	ending old = *(ending *)at, to;

	/* Not relocated yet: another thread is loading the object. */
	if ((pages_protection((uintptr_t)old) & PROT_EXEC) == 0)
		return;
	/* Not bound yet: the slot points to the object's own stub, which would bind the
	 * slot and overwrite the patch. */
	if (is_within(info, (uintptr_t)old))
		old = called[c].global;
	if (old != NULL && (to = way_through(called[c].row, old)) != NULL)
		patch(at, to);
}

static void
patch_table(const struct dl_phdr_info *info, const struct imports *im,
    const ElfW(Rela) *r, size_t n)
{
#ifdef SLOT
	const char *name;
	uintptr_t at;
	size_t i;
	unsigned c;

	for (i = 0; i < n; i++) {
		at = info->dlpi_addr + r[i].r_offset;
		if ((ELF64_R_TYPE(r[i].r_info) != SLOT &&
		    ELF64_R_TYPE(r[i].r_info) != DATA) ||
		    at % sizeof(ending) != 0)
			continue;
		name = im->string +
		    im->symbol[ELF64_R_SYM(r[i].r_info)].st_name;
		for (c = 0; c < CALLED; c++)
			if (strcmp(name, called[c].name) == 0)
				patch_slot(info, at, c);
	}
#else
	(void)info, (void)im, (void)r, (void)n;
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
	/* The vdso's dynamic section is not relocated. Calls inside libc, and by this
	 * library, are not patched. */
	if (strstr(name, "vdso") != NULL || strstr(name, "/libc.so") != NULL ||
	    strstr(name, "/ld-linux") != NULL ||
	    strstr(name, "libcudadvise_injection") != NULL)
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		read_dynamic((const void *)(info->dlpi_addr +
		    info->dlpi_phdr[i].p_vaddr), &im);
		/* An address below the object's base: it was not relocated. */
		if ((uintptr_t)im.symbol < info->dlpi_addr ||
		    (uintptr_t)im.string < info->dlpi_addr ||
		    im.symbol == NULL || im.string == NULL)
			continue;
		if (im.plt != NULL && (uintptr_t)im.plt >= info->dlpi_addr)
			patch_table(info, &im, im.plt, im.plts);
		if (im.rel != NULL && (uintptr_t)im.rel >= info->dlpi_addr)
			patch_table(info, &im, im.rel, im.rels);
	}
	return 0;
}

void
hook_exit(void (*to_depart)(void), void (*to_finish)(enum wire_bye reason))
{
	unsigned c;

	departs = to_depart;
	finishes = to_finish;
	/* Not inside dl_iterate_phdr: that holds a lock, under which dlsym could
	 * deadlock with a thread that is loading a library. */
	for (c = 0; c < CALLED; c++)
		*(void **)&called[c].global = dlsym(RTLD_DEFAULT,
		    called[c].name);
	if (pages_read() != 0)
		return;
	dl_iterate_phdr(visit, NULL);
	pages_forget();
}
