/*
 * candidate.h: kernels that are loaded from PTX at run time. Candidate ${i} stirs each
 * number (check.h) candidate_times(i) times; its parameters are the numbers' address and
 * their count. candidate_load(i, f): load it, with its function in *${f}.
 */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include "driver.h"

static const char candidate_text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry candidate_%u(.param .u64 numbers, .param .u32 count)\n"
    "{\n"
    "	.reg .pred more;\n"
    "	.reg .b32 i, n, h, t, left;\n"
    "	.reg .b64 at, offset;\n"
    "	mov.u32 i, %%ctaid.x;\n"
    "	mov.u32 n, %%ntid.x;\n"
    "	mov.u32 t, %%tid.x;\n"
    "	mad.lo.u32 i, i, n, t;\n"
    "	ld.param.u32 n, [count];\n"
    "	setp.ge.u32 more, i, n;\n"
    "	@more bra DONE;\n"
    "	ld.param.u64 at, [numbers];\n"
    "	cvta.to.global.u64 at, at;\n"
    "	mul.wide.u32 offset, i, 4;\n"
    "	add.u64 at, at, offset;\n"
    "	ld.global.u32 h, [at];\n"
    "	mov.u32 left, %u;\n"
    "LOOP:\n"
    "	shr.u32 t, h, 15;\n"
    "	xor.b32 h, h, t;\n"
    "	mad.lo.u32 h, h, 0x2c1b3c6d, 0x9e3779b9;\n"
    "	sub.u32 left, left, 1;\n"
    "	setp.ne.u32 more, left, 0;\n"
    "	@more bra LOOP;\n"
    "	st.global.u32 [at], h;\n"
    "DONE:\n"
    "	ret;\n"
    "}\n";

static inline unsigned
candidate_times(unsigned i)
{

	return 8 * (i + 1);
}

static inline CUmodule
candidate_load(unsigned i, CUfunction *f)
{
	char source[sizeof(candidate_text) + 32], name[32];
	CUmodule module;

	snprintf(source, sizeof(source), candidate_text, i, candidate_times(i));
	snprintf(name, sizeof(name), "candidate_%u", i);
	DRIVER(cuModuleLoadData(&module, source));
	DRIVER(cuModuleGetFunction(f, module, name));
	return module;
}

#endif
