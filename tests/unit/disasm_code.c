/*
 * Code without its cubin: many functions in one run of the disassembler, which
 * is a script here that prints nvdisasm's output, or misbehaves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/error.h"
#include "source/cubin.h"
#include "source/disasm.h"
#include "source/sass.h"
#include "unit/disasm.h"
#include "unit/test.h"

#define CODE 0x700u		/* bytes of t.cubin's section */

static const struct cubin_function *
function_of(const struct cubin *c, uint32_t symbol)
{
	size_t i;

	for (i = 0; i < c->functions; i++)
		if (c->function[i].symbol == symbol)
			return &c->function[i];
	fail_msg("no symbol %u", symbol);
	return NULL;
}

/* The tool's output for a file that has the same section twice; numbers count
 * from the beginning of the file. */
static void
make_double(const char *path)
{
	json_t *all = json_load_file(DIR "t.raw.json", 0, NULL), *list, *one;
	const char *operands, *last;
	size_t i, n;
	char text[100];

	list = json_object_get(json_array_get(json_array_get(all, 1), 0),
	    "sass-instructions");
	n = json_array_size(list);
	assert_int_equal(n, CODE / 16);
	for (i = 0; i < n; i++) {
		one = json_deep_copy(json_array_get(list, i));
		operands = json_string_value(json_object_get(one, "operands"));
		if (json_object_get(one, "other-attributes") != NULL &&
		    operands != NULL && (last = strstr(operands, "0x")) !=
		    NULL) {
			snprintf(text, sizeof(text), "%.*s0x%lx",
			    (int)(last - operands), operands,
			    strtoul(last, NULL, 16) + CODE);
			json_object_set_new(one, "operands",
			    json_string(text));
		}
		json_array_append_new(list, one);
	}
	assert_int_equal(json_dump_file(all, path, JSON_COMPACT), 0);
	json_decref(all);
}

static int
run_code(const struct disasm_code *want, size_t n, char **text, size_t *bad,
    struct error *e)
{
	struct disassembler d;

	*e = (struct error)ERROR_INIT;
	assert_int_equal(disasm_find(&d), 0);
	return disasm_code(&d, want, n, text, bad, e);
}

/* The same listing as from the whole cubin, wherever the code is in the file. */
TEST_WITH(alone, set_up, tear_down)
{
	const uint32_t symbol[] = { KERNEL, INNER };
	char cases[1000], seen[1000], doubled[300], *whole[2], *text[4];
	struct disasm_code want[4];
	struct cubin c[2];
	struct error e = ERROR_INIT;
	size_t i, bad;

	make_tool("-json) cat " DIR "t.json;;");
	assert_int_equal(run(symbol, 2, whole, &e), 0);
	for (i = 0; i < 4; i++) {
		if (i % 2 == 0)
			assert_int_equal(cubin_open(&c[i / 2], cubin,
			    cubin_size, &e), 0);
		want[i].cubin = &c[i / 2];
		want[i].function = function_of(&c[i / 2], symbol[i % 2]);
		assert_int_equal(disasm_code_bytes(&want[i]), CODE);
	}
	make_tool("-b) cat " DIR "t.raw.json;;");
	if (run_code(want, 2, text, &bad, &e) != 0)
		fail_msg("%s", e.text);
	for (i = 0; i < 2; i++) {
		assert_string_equal(text[i], whole[i]);
		free(text[i]);
	}
	snprintf(doubled, sizeof(doubled), "%s/double", top);
	make_double(doubled);
	snprintf(cases, sizeof(cases), "-b) echo \"$# $2 $3 $(stat -c %%s $4)"
	    "\" > %s; cat %s;;", file, doubled);
	make_tool(cases);
	if (run_code(want, 4, text, &bad, &e) != 0)
		fail_msg("%s", e.text);
	for (i = 0; i < 4; i++) {
		assert_string_equal(text[i], whole[i % 2]);
		free(text[i]);
	}
	slurp(file, seen, sizeof(seen));
	assert_string_equal(seen, "4 SM90 -json 3584\n");
	nothing_left();
	for (i = 0; i < 2; i++) {
		cubin_close(&c[i]);
		free(whole[i]);
	}
}

/* The function at fault, if the tool names it; a listing is complete or missing. */
TEST_WITH(refused, set_up, tear_down)
{
	static const struct {
		const char *cases, *why;
		size_t bad;
	} row[] = {
		{ "-b) echo \"error : Unrecognized operation for functional "
		"unit 'uC' at address 0x00000710\" >&2; exit 255;;",
		    "Unrecognized", 1 },
		{ "-b) echo 'error at address 0x6f0' >&2; exit 255;;",
		    "error at", 0 },
		{ "-b) echo 'error at address 0xe00' >&2; exit 255;;",
		    "error at", SIZE_MAX },
		{ "-b) echo 'unknown option' >&2; exit 1;;", "unknown",
		    SIZE_MAX },
		{ "-b) exit 0;;", "nothing", SIZE_MAX },
		{ "-b) cat " DIR "t.json;;", "112 of 224", SIZE_MAX },
		{ "-b) cat " DIR "t.raw.json;;", "112 of 224", SIZE_MAX },
		{ "-b) sleep 60;;", "longer than 300 ms", SIZE_MAX },
	};
	struct disasm_code want[2], none;
	struct cubin_function odd;
	struct disassembler d;
	struct cubin c[2];
	struct error e = ERROR_INIT;
	char *text[2];
	size_t i, bad;

	for (i = 0; i < 2; i++) {
		assert_int_equal(cubin_open(&c[i], cubin, cubin_size, &e), 0);
		want[i].cubin = &c[i];
		want[i].function = function_of(&c[i], KERNEL);
	}
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		make_tool(row[i].cases);
		assert_int_equal(disasm_find(&d), 0);
		/* One test waits for the limit, the others must not reach it. */
		d.ns = strstr(row[i].cases, "sleep") != NULL ? 300000000u :
		    60000000000u;
		e = (struct error)ERROR_INIT;
		assert_int_equal(disasm_code(&d, want, 2, text, &bad, &e),
		    -1);
		if (strstr(e.text, row[i].why) == NULL)
			fail_msg("'%s' is not '%s'", e.text, row[i].why);
		assert_int_equal(bad, row[i].bad);
		assert_null(text[0]);
		nothing_left();
	}
	/* Code that is not in an instruction section, or is for another machine. */
	odd = *want[0].function;
	odd.offset = 8;
	none = (struct disasm_code){ &c[0], &odd };
	assert_int_equal(disasm_code_bytes(&none), 0);
	assert_int_equal(run_code(&none, 1, text, &bad, &e), -1);
	odd.offset = 0;
	odd.section = 1;
	assert_int_equal(disasm_code_bytes(&none), 0);
	c[0].arch = 60;
	assert_int_equal(disasm_code_bytes(&want[0]), 0);
	c[0].arch = 80;
	assert_int_equal(run_code(want, 2, text, &bad, &e), -1);
	cubin_close(&c[0]);
	cubin_close(&c[1]);
}

/* An instruction whose operand is linked only at load time: its number is
 * meaningless. linked.cu: both halves with -dc, then -dlink -cubin. */
TEST_WITH(linked, set_up, tear_down)
{
	char cases[3000];
	struct disasm_code want;
	struct error e = ERROR_INIT;
	struct cubin c;
	char *text[1];
	size_t i, n, bad;

	cubin_size = slurp(DIR "linked.cubin", cubin, sizeof(cubin));
	assert_int_equal(cubin_open(&c, cubin, cubin_size, &e), 0);
	want.cubin = &c;
	want.function = cubin_find(&c, "_Z6callerPf", 0);
	assert_non_null(want.function);
	n = want.function->size / 16;
	assert_int_equal(n, 24);
	snprintf(cases, sizeof(cases), "-b) echo '[{},[{\"function-name\":"
	    "\"Unknown\",\"start\":0,\"sass-instructions\":[");
	for (i = 0; i < n; i++)
		snprintf(cases + strlen(cases), sizeof(cases) - strlen(cases),
		    "%s{\"opcode\":\"CALL\",\"operands\":\"0x20\","
		    "\"other-attributes\":{\"control-flow\":\"True\"}}",
		    i == 0 ? "" : ",");
	snprintf(cases + strlen(cases), sizeof(cases) - strlen(cases),
	    "]}]]';;");
	make_tool(cases);
	if (run_code(&want, 1, text, &bad, &e) != 0)
		fail_msg("%s", e.text);
	assert_non_null(strstr(text[0], "\n0050 CALL 0x20\n"));
	assert_non_null(strstr(text[0], "\n0080 CALL _Z6calleef\n"));
	assert_non_null(strstr(text[0], "\n0090 CALL 0x20\n"));
	free(text[0]);
	cubin_close(&c);
}

/* Two listings of one function must be equal. */
static void
same_code(const char *name, const char *a, const char *b)
{
	struct sass x, y;
	size_t i;

	if (a == NULL || b == NULL)
		fail_msg("%s: no text", name);
	assert_int_equal(sass_parse(&x, a, strlen(a)), 0);
	assert_int_equal(sass_parse(&y, b, strlen(b)), 0);
	if (x.instructions != y.instructions)
		fail_msg("%s: %zu and %zu instructions", name, x.instructions,
		    y.instructions);
	for (i = 0; i < x.instructions; i++)
		if (x.instruction[i].pc != y.instruction[i].pc ||
		    x.instruction[i].target != y.instruction[i].target ||
		    strcmp(x.instruction[i].opcode,
		    y.instruction[i].opcode) != 0)
			fail_msg("%s: '%s' and '%s'", name,
			    x.instruction[i].text, y.instruction[i].text);
	sass_free(&x);
	sass_free(&y);
}

/* If nvdisasm is installed: for bare code, with all functions in one file, it
 * must print the same as for the cubins. */
TEST_WITH(real, set_up, tear_down)
{
	static const char *const row[] = { "t", "m", "gemm", "softmax",
	    "linked" };
	enum { ROWS = sizeof(row) / sizeof(row[0]), MOST = 32 };
	static uint8_t bytes[ROWS][1u << 16];
	struct cubin c[ROWS];
	struct disasm_code want[MOST];
	struct disassembler d;
	struct error e = ERROR_INIT;
	char path[300], *whole[MOST], *bare[MOST];
	size_t i, k, bad, n = 0;

	unsetenv("CUDADVISE_NVDISASM");
	if (disasm_find(&d) != 0)
		skip();
	for (i = 0; i < ROWS; i++) {
		snprintf(path, sizeof(path), DIR "%s.cubin", row[i]);
		k = slurp(path, bytes[i], sizeof(bytes[i]));
		assert_int_equal(cubin_open(&c[i], bytes[i], k, &e), 0);
		for (k = 0; k < c[i].functions && n < MOST; k++) {
			if (!c[i].function[k].entry)
				continue;
			want[n] = (struct disasm_code){ &c[i],
			    &c[i].function[k] };
			if (disasm_run(&d, c[i].bytes, c[i].size,
			    &c[i].function[k].symbol, 1, &whole[n], &e) != 0)
				fail_msg("%s", e.text);
			n++;
		}
	}
	assert_true(n >= ROWS);
	if (disasm_code(&d, want, n, bare, &bad, &e) != 0)
		fail_msg("%s", e.text);
	for (i = 0; i < n; i++) {
		same_code(want[i].function->name, whole[i], bare[i]);
		free(whole[i]);
		free(bare[i]);
	}
	for (i = 0; i < ROWS; i++)
		cubin_close(&c[i]);
}
