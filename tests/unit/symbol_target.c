/*
 * symbol_target.c: a program with functions of every visibility, one of them
 * inlined. It prints where its code is mapped and a call stack of its own, as a
 * target sends them in MAPPING and SITE. `line NAME N` prints the source line
 * where a frame should be.
 */
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define ALWAYS static inline __attribute__((always_inline))

static volatile int sink;

static NOINLINE void
leaf_static(void)
{
	void *frame[64];
	int i, n = backtrace(frame, 64);

	for (i = 1; i < n; i++)
		printf("frame %lx\n", (unsigned long)(uintptr_t)frame[i]);
	sink++;
}

ALWAYS void
inlined_inner(void)
{
	leaf_static(), printf("line inlined_inner %d\n", __LINE__);
	sink++;
}

ALWAYS void
inlined_outer(void)
{
	inlined_inner(), printf("line inlined_outer %d\n", __LINE__);
	sink++;
}

static NOINLINE void
middle_static(void)
{
	inlined_outer(), printf("line middle_static %d\n", __LINE__);
	sink++;
}

NOINLINE void exported_function(void);
NOINLINE void
exported_function(void)
{
	middle_static(), printf("line exported_function %d\n", __LINE__);
	sink++;
}

/* The code of the main program, the first object. */
static int
visit(struct dl_phdr_info *o, size_t size, void *cookie)
{
	int i;

	(void)size;
	(void)cookie;
	for (i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_LOAD &&
		    (o->dlpi_phdr[i].p_flags & PF_X))
			printf("map %lx %lx %lx\n", (unsigned long)
			    (o->dlpi_addr + o->dlpi_phdr[i].p_vaddr),
			    (unsigned long)(o->dlpi_addr +
			    o->dlpi_phdr[i].p_vaddr + o->dlpi_phdr[i].p_memsz),
			    (unsigned long)o->dlpi_phdr[i].p_offset);
	return 1;
}

int
main(void)
{

	dl_iterate_phdr(visit, NULL);
	exported_function(), printf("line main %d\n", __LINE__);
	return 0;
}
