/* capture/symbol_debug.h: the debug information of an ELF file. Internal to
 * capture/symbol_file.c. */
#ifndef CADV_SYMBOL_DEBUG_H
#define CADV_SYMBOL_DEBUG_H

#include <libelf.h>

#include "capture/symbol_file.h"

struct symbol_debug;

/* symbol_debug_open(elf): NULL if it has no readable debug information. Call
 * symbol_debug_close before elf_end(${elf}). */
struct symbol_debug *symbol_debug_open(Elf *elf);
void symbol_debug_close(struct symbol_debug *d);

/* symbol_debug_places(d, address, p, deadline): as symbol_file_places. */
size_t symbol_debug_places(struct symbol_debug *d, uint64_t address,
    struct symbol_place *p, uint64_t deadline);

#endif
