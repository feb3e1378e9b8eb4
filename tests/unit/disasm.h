/*
 * unit/disasm.h: a script in place of the disassembler, for the tests of
 * source/disasm.h. Included once by each of them.
 */
#ifndef CADV_UNIT_DISASM_H
#define CADV_UNIT_DISASM_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "source/disasm.h"
#include "unit/fixtures.h"
#include "unit/test.h"

#define DIR TEST_DIR "/captures/cubins/"
#define KERNEL 13u		/* symbols of t.cubin */
#define INNER 6u
#define VERSION "--version) echo 'Cuda compilation tools, release 13.0, " \
	"V13.0.85';;\n"

static char *top, tool[200], code[100], file[200];
static uint8_t cubin[1u << 16];
static size_t cubin_size;

static size_t
slurp(const char *path, void *buf, size_t cap)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	assert_non_null(f);
	n = fread(buf, 1, cap - 1, f);
	fclose(f);
	((char *)buf)[n] = '\0';
	return n;
}

/* Makes an empty file for the tool to write to, the only file that it can write. */
static void
make_seen(void)
{
	FILE *f;

	snprintf(code, sizeof(code), "%s/code", top);
	assert_int_equal(mkdir(code, 0700), 0);
	snprintf(file, sizeof(file), "%s/seen", code);
	f = fopen(file, "w");
	assert_non_null(f);
	fclose(f);
}

static int
set_up(void **state)
{

	(void)state;
	top = fixture_mkdir();
	snprintf(tool, sizeof(tool), "%s/nvdisasm", top);
	make_seen();
	setenv("CUDADVISE_RUNTIME_DIR", top, 1);
	setenv("CUDADVISE_NVDISASM", tool, 1);
	cubin_size = slurp(DIR "t.cubin", cubin, sizeof(cubin));
	return 0;
}

static int
tear_down(void **state)
{

	(void)state;
	fixture_rmdir(top);
	return 0;
}

/* Makes the tool: a shell's case over its first argument. */
static void
make_tool(const char *cases)
{
	FILE *f = fopen(tool, "w");

	assert_non_null(f);
	fprintf(f, "#!/bin/sh\ncase $1 in\n" VERSION "%s\nesac\n", cases);
	fclose(f);
	assert_int_equal(chmod(tool, 0700), 0);
}

static int
run(const uint32_t *symbol, size_t n, char **text, struct error *e)
{
	struct disassembler d;

	*e = (struct error)ERROR_INIT;
	assert_int_equal(disasm_find(&d), 0);
	return disasm_run(&d, cubin, cubin_size, symbol, n, text, e);
}

/* No file for the tool may be left in the runtime directory. */
static void
nothing_left(void)
{
	char command[400];

	snprintf(command, sizeof(command), "ls %s | grep -q cubin", top);
	assert_int_not_equal(system(command), 0);
}

#endif
