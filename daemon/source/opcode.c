/*
 * source/opcode.c: see opcode.h.
 */
#include <stdlib.h>
#include <string.h>

#include "source/opcode.h"

/* By name. An opcode that is missing here is one that no rule needs, or a newer
 * one. A reduction without a result is RED or REDG; compilers use it for global
 * memory only. */
static const struct opcode table[] = {
	{ "ARRIVES", 0, SPACE_NONE, HOW_FLOW },
	{ "ATOM", SASS_ATOMIC, SPACE_GENERIC, HOW_MEMORY },
	{ "ATOMG", SASS_ATOMIC, SPACE_GLOBAL, HOW_MEMORY },
	{ "ATOMS", SASS_ATOMIC, SPACE_SHARED, HOW_MEMORY },
	{ "ATOMSCAS", SASS_ATOMIC, SPACE_SHARED, HOW_MEMORY },
	{ "B2R", 0, SPACE_NONE, HOW_SCALAR },
	{ "BAR", SASS_BARRIER, SPACE_NONE, HOW_FLOW },
	{ "BFE", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "BFI", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "BGMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "BMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "BMOV", 0, SPACE_NONE, HOW_FLOW },
	{ "BMSK", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "BPT", 0, SPACE_NONE, HOW_FLOW },
	{ "BRA", SASS_BRANCH, SPACE_NONE, HOW_FLOW },
	{ "BREAK", 0, SPACE_NONE, HOW_FLOW },
	{ "BREV", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "BRX", SASS_BRANCH, SPACE_NONE, HOW_FLOW },
	{ "BRXU", SASS_BRANCH, SPACE_NONE, HOW_FLOW },
	{ "BSSY", 0, SPACE_NONE, HOW_FLOW },
	{ "BSYNC", 0, SPACE_NONE, HOW_FLOW },
	{ "CALL", SASS_BRANCH | SASS_CALL, SPACE_NONE, HOW_FLOW },
	{ "CCTL", 0, SPACE_NONE, HOW_FLOW },
	{ "CCTLL", 0, SPACE_NONE, HOW_FLOW },
	{ "CCTLT", 0, SPACE_NONE, HOW_FLOW },
	{ "CREDUX", SASS_SHUFFLE, SPACE_NONE, HOW_SCALAR },
	{ "CS2R", 0, SPACE_NONE, HOW_SCALAR },
	{ "DADD", SASS_FP64 | SASS_ADD, SPACE_NONE, HOW_PAIR },
	{ "DEPBAR", 0, SPACE_NONE, HOW_FLOW },
	{ "DFMA", SASS_FP64 | SASS_FMA, SPACE_NONE, HOW_PAIR },
	{ "DMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "DMNMX", SASS_FP64, SPACE_NONE, HOW_PAIR },
	{ "DMUL", SASS_FP64 | SASS_MULTIPLY, SPACE_NONE, HOW_PAIR },
	{ "DSETP", SASS_FP64 | SASS_PREDICATE, SPACE_NONE, HOW_PAIR },
	{ "ERRBAR", 0, SPACE_NONE, HOW_FLOW },
	{ "EXIT", SASS_EXIT, SPACE_NONE, HOW_FLOW },
	{ "F2F", SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	{ "F2FP", SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	{ "F2I", SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	{ "F2IP", SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	{ "FADD", SASS_FP32 | SASS_ADD, SPACE_NONE, HOW_SCALAR },
	{ "FADD2", SASS_FP32 | SASS_ADD, SPACE_NONE, HOW_PAIR },
	{ "FADD32I", SASS_FP32 | SASS_ADD, SPACE_NONE, HOW_SCALAR },
	{ "FCHK", SASS_FP32 | SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	{ "FFMA", SASS_FP32 | SASS_FMA, SPACE_NONE, HOW_SCALAR },
	{ "FFMA2", SASS_FP32 | SASS_FMA, SPACE_NONE, HOW_PAIR },
	{ "FFMA32I", SASS_FP32 | SASS_FMA, SPACE_NONE, HOW_SCALAR },
	{ "FHADD", SASS_FP32, SPACE_NONE, HOW_SCALAR },
	{ "FHFMA", SASS_FP32, SPACE_NONE, HOW_SCALAR },
	{ "FLO", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "FMNMX", SASS_FP32, SPACE_NONE, HOW_SCALAR },
	{ "FMNMX3", SASS_FP32, SPACE_NONE, HOW_SCALAR },
	{ "FMUL", SASS_FP32 | SASS_MULTIPLY, SPACE_NONE, HOW_SCALAR },
	{ "FMUL2", SASS_FP32 | SASS_MULTIPLY, SPACE_NONE, HOW_PAIR },
	{ "FMUL32I", SASS_FP32 | SASS_MULTIPLY, SPACE_NONE, HOW_SCALAR },
	{ "FRND", SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	{ "FSEL", SASS_FP32, SPACE_NONE, HOW_SCALAR },
	{ "FSET", SASS_FP32, SPACE_NONE, HOW_SCALAR },
	{ "FSETP", SASS_FP32 | SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	{ "FSWZ", SASS_FP32, SPACE_NONE, HOW_SCALAR },
	{ "FSWZADD", SASS_FP32, SPACE_NONE, HOW_SCALAR },
	{ "HADD2", SASS_FP16 | SASS_ADD, SPACE_NONE, HOW_SCALAR },
	{ "HADD2_32I", SASS_FP16 | SASS_ADD, SPACE_NONE, HOW_SCALAR },
	{ "HFMA2", SASS_FP16 | SASS_FMA, SPACE_NONE, HOW_SCALAR },
	{ "HFMA2_32I", SASS_FP16 | SASS_FMA, SPACE_NONE, HOW_SCALAR },
	{ "HGMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "HMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "HMNMX", SASS_FP16, SPACE_NONE, HOW_SCALAR },
	{ "HMNMX2", SASS_FP16, SPACE_NONE, HOW_SCALAR },
	{ "HMUL2", SASS_FP16 | SASS_MULTIPLY, SPACE_NONE, HOW_SCALAR },
	{ "HMUL2_32I", SASS_FP16 | SASS_MULTIPLY, SPACE_NONE, HOW_SCALAR },
	{ "HSET2", SASS_FP16, SPACE_NONE, HOW_SCALAR },
	{ "HSETP2", SASS_FP16 | SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	{ "I2F", SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	{ "I2FP", SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	{ "I2I", SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	{ "I2IP", SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	{ "IABS", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "IADD", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "IADD3", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "IADD32I", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "IDP", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "IDP4A", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "IGMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "IMAD", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "IMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "IMNMX", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "IMUL", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "IMUL32I", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "ISCADD", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "ISCADD32I", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "ISET", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "ISETP", SASS_INT | SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	{ "JMP", SASS_BRANCH, SPACE_NONE, HOW_FLOW },
	{ "JMX", SASS_BRANCH, SPACE_NONE, HOW_FLOW },
	{ "JMXU", SASS_BRANCH, SPACE_NONE, HOW_FLOW },
	{ "KILL", SASS_EXIT, SPACE_NONE, HOW_FLOW },
	{ "LD", SASS_LOAD, SPACE_GENERIC, HOW_MEMORY },
	{ "LDC", SASS_LOAD, SPACE_CONSTANT, HOW_MEMORY },
	{ "LDCU", SASS_LOAD, SPACE_CONSTANT, HOW_UMEMORY },
	{ "LDG", SASS_LOAD, SPACE_GLOBAL, HOW_MEMORY },
	{ "LDGDEPBAR", 0, SPACE_NONE, HOW_FLOW },
	{ "LDGMC", SASS_LOAD, SPACE_GLOBAL, HOW_MEMORY },
	{ "LDGSTS", SASS_LOAD | SASS_ASYNC, SPACE_GLOBAL, HOW_MEMORY },
	{ "LDL", SASS_LOAD, SPACE_LOCAL, HOW_MEMORY },
	{ "LDS", SASS_LOAD, SPACE_SHARED, HOW_MEMORY },
	{ "LDSM", SASS_LOAD, SPACE_SHARED, HOW_MATRIX },
	{ "LEA", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "LEPC", 0, SPACE_NONE, HOW_SCALAR },
	{ "LOP", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "LOP3", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "LOP32I", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "MATCH", 0, SPACE_NONE, HOW_SCALAR },
	{ "MEMBAR", 0, SPACE_NONE, HOW_FLOW },
	{ "MOV", 0, SPACE_NONE, HOW_SCALAR },
	{ "MOV32I", 0, SPACE_NONE, HOW_SCALAR },
	{ "MUFU", SASS_FP32 | SASS_XU, SPACE_NONE, HOW_SCALAR },
	{ "NANOSLEEP", 0, SPACE_NONE, HOW_FLOW },
	{ "NOP", 0, SPACE_NONE, HOW_FLOW },
	{ "OMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "P2R", 0, SPACE_NONE, HOW_SCALAR },
	{ "PLOP3", SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	{ "PMTRIG", 0, SPACE_NONE, HOW_FLOW },
	{ "POPC", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "PREEXIT", 0, SPACE_NONE, HOW_FLOW },
	{ "PRMT", 0, SPACE_NONE, HOW_SCALAR },
	{ "PSETP", SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	{ "QGMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "QMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "R2P", SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	{ "R2UR", 0, SPACE_NONE, HOW_SCALAR },
	{ "RED", SASS_ATOMIC, SPACE_GLOBAL, HOW_MEMORY },
	{ "REDAS", SASS_ATOMIC | SASS_ASYNC, SPACE_SHARED, HOW_MEMORY },
	{ "REDG", SASS_ATOMIC, SPACE_GLOBAL, HOW_MEMORY },
	{ "REDUX", SASS_SHUFFLE, SPACE_NONE, HOW_SCALAR },
	{ "RET", SASS_BRANCH, SPACE_NONE, HOW_FLOW },
	{ "S2R", 0, SPACE_NONE, HOW_SCALAR },
	{ "S2UR", 0, SPACE_NONE, HOW_UNIFORM },
	{ "SEL", 0, SPACE_NONE, HOW_SCALAR },
	{ "SGXT", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "SHF", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "SHFL", SASS_SHUFFLE, SPACE_NONE, HOW_SCALAR },
	{ "SHL", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "SHR", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "ST", SASS_STORE, SPACE_GENERIC, HOW_MEMORY },
	{ "STAS", SASS_STORE | SASS_ASYNC, SPACE_SHARED, HOW_MEMORY },
	{ "STG", SASS_STORE, SPACE_GLOBAL, HOW_MEMORY },
	{ "STL", SASS_STORE, SPACE_LOCAL, HOW_MEMORY },
	{ "STS", SASS_STORE, SPACE_SHARED, HOW_MEMORY },
	{ "STSM", SASS_STORE, SPACE_SHARED, HOW_MATRIX },
	{ "SUATOM", SASS_ATOMIC, SPACE_TEXTURE, HOW_ANY },
	{ "SULD", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "SURED", SASS_ATOMIC, SPACE_TEXTURE, HOW_ANY },
	{ "SUST", SASS_STORE, SPACE_TEXTURE, HOW_ANY },
	{ "TEX", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "TEXS", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "TLD", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "TLD4", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "TLD4S", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "TLDS", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "TMML", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "TXA", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "TXD", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "TXQ", SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	{ "UBLKCP", SASS_LOAD | SASS_ASYNC, SPACE_GLOBAL, HOW_ANY },
	{ "UBLKPF", SASS_ASYNC, SPACE_GLOBAL, HOW_ANY },
	{ "UBLKRED", SASS_ATOMIC | SASS_ASYNC, SPACE_GLOBAL, HOW_ANY },
	{ "UBMSK", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UBREV", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UCGABAR_ARV", SASS_BARRIER, SPACE_NONE, HOW_FLOW },
	{ "UCGABAR_WAIT", SASS_BARRIER, SPACE_NONE, HOW_FLOW },
	{ "UF2FP", 0, SPACE_NONE, HOW_UNIFORM },
	{ "UF2I", 0, SPACE_NONE, HOW_UNIFORM },
	{ "UFADD", 0, SPACE_NONE, HOW_UNIFORM },
	{ "UFFMA", 0, SPACE_NONE, HOW_UNIFORM },
	{ "UFLO", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UFMUL", 0, SPACE_NONE, HOW_UNIFORM },
	{ "UI2F", 0, SPACE_NONE, HOW_UNIFORM },
	{ "UIABS", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UIADD", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UIADD3", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UIMAD", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UIMNMX", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UISETP", SASS_INT | SASS_PREDICATE, SPACE_NONE, HOW_UNIFORM },
	{ "ULDC", SASS_LOAD, SPACE_CONSTANT, HOW_UMEMORY },
	{ "ULEA", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "ULOP", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "ULOP3", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "ULOP32I", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UMOV", 0, SPACE_NONE, HOW_UNIFORM },
	{ "UP2UR", 0, SPACE_NONE, HOW_UNIFORM },
	{ "UPLOP3", SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	{ "UPOPC", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UPRMT", 0, SPACE_NONE, HOW_UNIFORM },
	{ "UPSETP", SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	{ "UR2UP", 0, SPACE_NONE, HOW_UNIFORM },
	{ "USEL", 0, SPACE_NONE, HOW_UNIFORM },
	{ "USGXT", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "USHF", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "USHL", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "USHR", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UTCHMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "UTCIMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "UTCMXQMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "UTCOMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "UTCQMMA", SASS_TENSOR, SPACE_NONE, HOW_ANY },
	{ "UTMALDG", SASS_LOAD | SASS_ASYNC, SPACE_GLOBAL, HOW_ANY },
	{ "UTMAPF", SASS_ASYNC, SPACE_GLOBAL, HOW_ANY },
	{ "UTMAREDG", SASS_ATOMIC | SASS_ASYNC, SPACE_GLOBAL, HOW_ANY },
	{ "UTMASTG", SASS_STORE | SASS_ASYNC, SPACE_GLOBAL, HOW_ANY },
	{ "UVIADD", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UVIMNMX", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "UVIRTCOUNT", SASS_INT, SPACE_NONE, HOW_UNIFORM },
	{ "VABSDIFF", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "VABSDIFF4", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "VHMNMX", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "VIADD", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "VIADD2", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "VIADDMNMX", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "VIMNMX", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "VIMNMX3", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "VOTE", 0, SPACE_NONE, HOW_SCALAR },
	{ "VOTEU", 0, SPACE_NONE, HOW_UNIFORM },
	{ "XMAD", SASS_INT, SPACE_NONE, HOW_SCALAR },
	{ "YIELD", 0, SPACE_NONE, HOW_FLOW },
};

#define ROWS (sizeof(table) / sizeof(table[0]))

struct key {
	const char *name;
	size_t len;
};

static int
compare(const void *key, const void *row)
{
	const struct key *k = key;
	const struct opcode *o = row;
	int d = k->name[0] - o->name[0];

	if (d == 0)
		d = strncmp(k->name, o->name, k->len);
	if (d != 0)
		return d;
	return o->name[k->len] == '\0' ? 0 : -1;
}

const struct opcode *
opcode_find(const char *name, size_t len)
{
	struct key k = { name, len };

	return bsearch(&k, table, ROWS, sizeof(table[0]), compare);
}

/* Is ${text} this word, up to its end or a dot? (Nearly always the first letter tells:
 * code is read often, and much of it.) */
static bool
is_word(const char *text, const char *word)
{
	size_t n;

	if (text[0] != word[0])
		return false;
	n = strlen(word);
	return strncmp(text, word, n) == 0 &&
	    (text[n] == '.' || text[n] == '\0');
}

bool
opcode_has(const char *text, const char *modifier)
{
	const char *p;

	for (p = strchr(text, '.'); p != NULL; p = strchr(p, '.'))
		if (is_word(++p, modifier))
			return true;
	return false;
}

static bool
has_one(const char *text, const char *const *list)
{

	for (; *list != NULL; list++)
		if (opcode_has(text, *list))
			return true;
	return false;
}

/* Bytes per lane of an access. */
static uint8_t
access_bytes(const char *text)
{
	static const char *const one[] = { "U8", "S8", NULL };
	static const char *const two[] = { "U16", "S16", NULL };
	static const char *const eight[] = { "64", "U64", "S64", "F64",
	    "F32x2", NULL };
	static const char *const sixteen[] = { "128", "F32x4", NULL };

	if (has_one(text, one))
		return 1;
	if (has_one(text, two))
		return 2;
	if (opcode_has(text, "256"))
		return 32;
	if (has_one(text, sixteen))
		return 16;
	return has_one(text, eight) ? 8 : 4;
}

static uint8_t
matrix_bytes(const char *text)
{

	if (opcode_has(text, "4"))
		return 16;
	return opcode_has(text, "2") ? 8 : 4;
}

static uint32_t
flags_of(const struct opcode *o, const char *text)
{
	uint32_t flags = o->flags;

	if (o->how == HOW_CONVERT && opcode_has(text, "F64") &&
	    opcode_has(text, "F32"))
		flags |= SASS_F32_F64;
	/* The constant path of a load from global memory. */
	if (o->space == SPACE_GLOBAL && (flags & SASS_LOAD) != 0 &&
	    opcode_has(text, "CONSTANT"))
		flags |= SASS_READ_ONLY;
	/* An addition that converts half to float. */
	if (flags == (SASS_FP16 | SASS_ADD) && opcode_has(text, "F32"))
		flags = SASS_CONVERT;
	if ((flags & SASS_XU) != 0 && (opcode_has(text, "RCP64H") ||
	    opcode_has(text, "RSQ64H")))
		flags = SASS_XU | SASS_FP64;
	return flags;
}

const struct opcode *
opcode_explain(struct sass_instruction *in)
{
	const char *text = in->opcode;
	const struct opcode *o = opcode_find(text, strcspn(text, "."));

	if (o == NULL)
		return NULL;
	in->flags |= flags_of(o, text);
	in->space = o->space;
	if (o->how == HOW_MEMORY || o->how == HOW_UMEMORY)
		in->bytes = access_bytes(text);
	else if (o->how == HOW_MATRIX)
		in->bytes = matrix_bytes(text);
	/* This form only loads a constant into a register. */
	if ((in->flags & (SASS_FP16 | SASS_FMA)) == (SASS_FP16 | SASS_FMA) &&
	    strstr(opcode_operands(in), ",-RZ,RZ,") != NULL)
		in->flags &= ~(uint32_t)(SASS_FP16 | SASS_FMA);
	return o;
}

bool
opcode_is(const struct sass_instruction *in, const char *name)
{

	return in != NULL && in->opcode != NULL && is_word(in->opcode, name);
}

const char *
opcode_operands(const struct sass_instruction *in)
{
	const char *p = in->text;

	if (*p == '@') {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	p += strcspn(p, " ");
	return p + strspn(p, " ");
}
