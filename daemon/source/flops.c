/*
 * source/flops.c: see flops.h.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "source/opcode.h"

#include "source/flops.h"

#define SHAPE_MOST 1024		/* of m, n and k; the largest is 256 */

/* Additions and multiplications without a flag in opcode.c. */
static const struct {
	const char *name;
	double lane;
} odd[] = {
	{ "FHADD", 1 }, { "FHFMA", 2 }, { "FSWZADD", 1 },
};

/*
 * Matrix instructions by type: rate relative to dense FP16, and warps that
 * share one instruction. NVIDIA's data sheets of A100, H100 and B200: FP8 is
 * twice as fast, FP4 four times, TF32 half; FP64 a sixteenth on A100 and H100.
 * Integer types do no floating-point operations.
 */
static const struct matrix {
	const char *name;
	double rate;		/* 0: integers */
	double warps;
} matrix[] = {
	{ "HMMA", 1, 1 }, { "HGMMA", 1, 4 },
	{ "QMMA", 2, 1 }, { "QGMMA", 2, 4 },
	{ "OMMA", 4, 1 }, { "DMMA", 1.0 / 16, 1 },
	{ "IMMA", 0, 1 }, { "IGMMA", 0, 4 },
	{ "BMMA", 0, 1 }, { "BGMMA", 0, 4 }, { "UTCIMMA", 0, 4 },
};

/* Shapes written without an x between their numbers. 884 of HMMA is one of
 * several steps of a shape, and left out: see shape_of. */
static const struct {
	const char *text;
	double product;		/* m·n·k */
} shape[] = {
	{ "884", 8 * 8 * 4 }, { "1684", 16 * 8 * 4 }, { "1688", 16 * 8 * 8 },
	{ "16816", 16 * 8 * 16 }, { "16832", 16 * 8 * 32 },
	{ "16864", 16 * 8 * 64 }, { "168128", 16 * 8 * 128 },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* m·n·k of "64x256x16"; 0 if the ${n} characters at ${p} are not such a
 * shape. */
static double
product_of(const char *p, size_t n)
{
	const char *end = p + n;
	double product = 1;
	unsigned long v;
	char *next;
	int numbers;

	for (numbers = 0; numbers < 3; numbers++) {
		if (p >= end || !isdigit((unsigned char)*p))
			return 0;
		v = strtoul(p, &next, 10);
		if (v == 0 || v > SHAPE_MOST)
			return 0;
		product *= (double)v;
		p = next;
		if (numbers < 2 && *p++ != 'x')
			return 0;
	}
	return p == end ? product : 0;
}

/* m·n·k from its modifiers; 0 if they have no shape. */
static double
shape_of(const struct sass_instruction *in)
{
	const char *p = in->opcode;
	size_t n, i;

	for (p = strchr(p, '.'); p != NULL; p = strchr(p, '.')) {
		n = strcspn(++p, ".");
		if (n == 0 || !isdigit((unsigned char)*p))
			continue;
		/* On Volta an instruction may be a half or a quarter of the
		 * shape: ambiguous. */
		if (opcode_is(in, "HMMA") && n == 3)
			return 0;
		for (i = 0; i < COUNT(shape); i++)
			if (strlen(shape[i].text) == n &&
			    strncmp(shape[i].text, p, n) == 0)
				return shape[i].product;
		return product_of(p, n);
	}
	return 0;
}

static int
matrix_flops(const struct sass_instruction *in, struct flops *f)
{
	const struct matrix *m = NULL;
	double product;
	size_t i;

	for (i = 0; i < COUNT(matrix); i++)
		if (opcode_is(in, matrix[i].name))
			m = &matrix[i];
	if (m != NULL && !(m->rate > 0))
		return 0;
	if (m == NULL || !((product = shape_of(in)) > 0))
		return -1;
	f->kind = FLOP_TENSOR;
	f->lane = 2 * product / m->warps / WARP;
	f->rate = m->rate;
	if (opcode_has(in->opcode, "TF32"))
		f->rate /= 2;
	if (opcode_has(in->opcode, "SP"))	/* 2:4 sparsity skips zeros */
		f->rate *= 2;
	return 1;
}

/* Two packed numbers in one register, or in two. */
static bool
is_packed(const struct sass_instruction *in)
{

	return (in->flags & SASS_FP16) != 0 || opcode_is_any(in, "FADD2 FMUL2 FFMA2");
}

int
flops_of(const struct sass_instruction *in, struct flops *f)
{
	size_t i;

	*f = (struct flops){ FLOP_FP32, 0, 1 };
	if ((in->flags & SASS_TENSOR) != 0)
		return matrix_flops(in, f);
	if ((in->flags & SASS_FP16) != 0)
		f->kind = FLOP_FP16;
	else if ((in->flags & SASS_FP64) != 0)
		f->kind = FLOP_FP64;
	else if ((in->flags & SASS_FP32) == 0)
		return 0;
	if ((in->flags & SASS_FMA) != 0)
		f->lane = 2;
	else if ((in->flags & (SASS_ADD | SASS_MULTIPLY)) != 0)
		f->lane = 1;
	for (i = 0; i < COUNT(odd); i++)
		if (opcode_is(in, odd[i].name))
			f->lane = odd[i].lane;
	if (is_packed(in))
		f->lane *= 2;
	return f->lane > 0;
}
