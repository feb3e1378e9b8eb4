/*
 * source/opcode.c: see opcode.h.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "source/opcode.h"

/* Properties, and the opcodes that have them. Opcodes that no rule needs are missing, as
 * are those of newer GPUs. A reduction without a result is RED or REDG; compilers use it
 * for global memory only. */
static const struct {
	struct opcode is;
	const char *names;	/* with a space between */
} table[] = {
	{ { SASS_INT, SPACE_NONE, HOW_SCALAR },
	  "BFE BFI BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMNMX "
	  "IMUL IMUL32I ISCADD ISCADD32I ISET LEA LOP LOP3 LOP32I POPC SGXT "
	  "SHF SHL SHR VABSDIFF VABSDIFF4 VHMNMX VIADD VIADD2 VIADDMNMX VIMNMX "
	  "VIMNMX3 XMAD" },
	{ { SASS_INT, SPACE_NONE, HOW_UNIFORM },
	  "UBMSK UBREV UFLO UIABS UIADD UIADD3 UIMAD UIMNMX ULEA ULOP ULOP3 "
	  "ULOP32I UPOPC USGXT USHF USHL USHR UVIADD UVIMNMX UVIRTCOUNT" },
	{ { SASS_INT | SASS_PREDICATE, SPACE_NONE, HOW_SCALAR }, "ISETP" },
	{ { SASS_INT | SASS_PREDICATE, SPACE_NONE, HOW_UNIFORM }, "UISETP" },
	{ { SASS_FP32, SPACE_NONE, HOW_SCALAR },
	  "FHADD FHFMA FMNMX FMNMX3 FSEL FSET FSWZ FSWZADD" },
	{ { SASS_FP32 | SASS_ADD, SPACE_NONE, HOW_PAIR }, "FADD2" },
	{ { SASS_FP32 | SASS_ADD, SPACE_NONE, HOW_SCALAR }, "FADD FADD32I" },
	{ { SASS_FP32 | SASS_FMA, SPACE_NONE, HOW_PAIR }, "FFMA2" },
	{ { SASS_FP32 | SASS_FMA, SPACE_NONE, HOW_SCALAR }, "FFMA FFMA32I" },
	{ { SASS_FP32 | SASS_MULTIPLY, SPACE_NONE, HOW_PAIR }, "FMUL2" },
	{ { SASS_FP32 | SASS_MULTIPLY, SPACE_NONE, HOW_SCALAR },
	  "FMUL FMUL32I" },
	{ { SASS_FP32 | SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	  "FCHK FSETP" },
	{ { SASS_FP32 | SASS_XU, SPACE_NONE, HOW_SCALAR }, "MUFU" },
	{ { SASS_FP64, SPACE_NONE, HOW_PAIR }, "DMNMX" },
	{ { SASS_FP64 | SASS_ADD, SPACE_NONE, HOW_PAIR }, "DADD" },
	{ { SASS_FP64 | SASS_FMA, SPACE_NONE, HOW_PAIR }, "DFMA" },
	{ { SASS_FP64 | SASS_MULTIPLY, SPACE_NONE, HOW_PAIR }, "DMUL" },
	{ { SASS_FP64 | SASS_PREDICATE, SPACE_NONE, HOW_PAIR }, "DSETP" },
	{ { SASS_FP16, SPACE_NONE, HOW_SCALAR }, "HMNMX HMNMX2 HSET2" },
	{ { SASS_FP16 | SASS_ADD, SPACE_NONE, HOW_SCALAR }, "HADD2 HADD2_32I" },
	{ { SASS_FP16 | SASS_FMA, SPACE_NONE, HOW_SCALAR }, "HFMA2 HFMA2_32I" },
	{ { SASS_FP16 | SASS_MULTIPLY, SPACE_NONE, HOW_SCALAR },
	  "HMUL2 HMUL2_32I" },
	{ { SASS_FP16 | SASS_PREDICATE, SPACE_NONE, HOW_SCALAR }, "HSETP2" },
	{ { SASS_CONVERT, SPACE_NONE, HOW_CONVERT },
	  "F2F F2FP F2I F2IP FRND I2F I2FP I2I I2IP" },
	{ { SASS_TENSOR, SPACE_NONE, HOW_ANY },
	  "BGMMA BMMA DMMA HGMMA HMMA IGMMA IMMA OMMA QGMMA QMMA UTCHMMA "
	  "UTCIMMA UTCMXQMMA UTCOMMA UTCQMMA" },
	{ { SASS_PREDICATE, SPACE_NONE, HOW_SCALAR },
	  "PLOP3 PSETP R2P UPLOP3 UPSETP" },
	{ { SASS_SHUFFLE, SPACE_NONE, HOW_SCALAR }, "CREDUX REDUX SHFL" },
	{ { SASS_LOAD, SPACE_CONSTANT, HOW_MEMORY }, "LDC" },
	{ { SASS_LOAD, SPACE_CONSTANT, HOW_UMEMORY }, "LDCU ULDC" },
	{ { SASS_LOAD, SPACE_GENERIC, HOW_MEMORY }, "LD" },
	{ { SASS_LOAD, SPACE_GLOBAL, HOW_MEMORY }, "LDG LDGMC" },
	{ { SASS_LOAD | SASS_ASYNC, SPACE_GLOBAL, HOW_ANY }, "UBLKCP UTMALDG" },
	{ { SASS_LOAD | SASS_ASYNC, SPACE_GLOBAL, HOW_MEMORY }, "LDGSTS" },
	{ { SASS_LOAD, SPACE_LOCAL, HOW_MEMORY }, "LDL" },
	{ { SASS_LOAD, SPACE_SHARED, HOW_MATRIX }, "LDSM" },
	{ { SASS_LOAD, SPACE_SHARED, HOW_MEMORY }, "LDS" },
	{ { SASS_LOAD, SPACE_TEXTURE, HOW_ANY },
	  "SULD TEX TEXS TLD TLD4 TLD4S TLDS TMML TXA TXD TXQ" },
	{ { SASS_STORE, SPACE_GENERIC, HOW_MEMORY }, "ST" },
	{ { SASS_STORE, SPACE_GLOBAL, HOW_MEMORY }, "STG" },
	{ { SASS_STORE | SASS_ASYNC, SPACE_GLOBAL, HOW_ANY }, "UTMASTG" },
	{ { SASS_STORE, SPACE_LOCAL, HOW_MEMORY }, "STL" },
	{ { SASS_STORE, SPACE_SHARED, HOW_MATRIX }, "STSM" },
	{ { SASS_STORE, SPACE_SHARED, HOW_MEMORY }, "STS" },
	{ { SASS_STORE | SASS_ASYNC, SPACE_SHARED, HOW_MEMORY }, "STAS" },
	{ { SASS_STORE, SPACE_TEXTURE, HOW_ANY }, "SUST" },
	{ { SASS_ATOMIC, SPACE_GENERIC, HOW_MEMORY }, "ATOM" },
	{ { SASS_ATOMIC, SPACE_GLOBAL, HOW_MEMORY }, "ATOMG RED REDG" },
	{ { SASS_ATOMIC | SASS_ASYNC, SPACE_GLOBAL, HOW_ANY },
	  "UBLKRED UTMAREDG" },
	{ { SASS_ATOMIC, SPACE_SHARED, HOW_MEMORY }, "ATOMS ATOMSCAS" },
	{ { SASS_ATOMIC | SASS_ASYNC, SPACE_SHARED, HOW_MEMORY }, "REDAS" },
	{ { SASS_ATOMIC, SPACE_TEXTURE, HOW_ANY }, "SUATOM SURED" },
	{ { SASS_ASYNC, SPACE_GLOBAL, HOW_ANY }, "UBLKPF UTMAPF" },
	{ { SASS_BARRIER, SPACE_NONE, HOW_FLOW },
	  "BAR UCGABAR_ARV UCGABAR_WAIT" },
	{ { SASS_BRANCH, SPACE_NONE, HOW_FLOW },
	  "BRA BRX BRXU JMP JMX JMXU RET" },
	{ { SASS_BRANCH | SASS_CALL, SPACE_NONE, HOW_FLOW }, "CALL" },
	{ { SASS_EXIT, SPACE_NONE, HOW_FLOW }, "EXIT KILL" },
	{ { 0, SPACE_NONE, HOW_FLOW },
	  "ARRIVES BMOV BPT BREAK BSSY BSYNC CCTL CCTLL CCTLT DEPBAR ERRBAR "
	  "LDGDEPBAR MEMBAR NANOSLEEP NOP PMTRIG PREEXIT YIELD" },
	{ { 0, SPACE_NONE, HOW_SCALAR },
	  "B2R CS2R LEPC MATCH MOV MOV32I P2R PRMT R2UR S2R SEL VOTE" },
	{ { 0, SPACE_NONE, HOW_UNIFORM },
	  "S2UR UF2FP UF2I UFADD UFFMA UFMUL UI2F UMOV UP2UR UPRMT UR2UP USEL "
	  "VOTEU" },
};

#define ROWS (sizeof(table) / sizeof(table[0]))

/* The names, sorted. Half of the room is spare. */
#define ROOM 512
static struct sorted {
	const char *at;
	size_t len;
	const struct opcode *is;
} sorted[ROOM];
static size_t count;

static int
compare(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int d = x->at[0] - y->at[0];

	if (d == 0)
		d = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);
	return d != 0 ? d : (x->len > y->len) - (x->len < y->len);
}

static void
sort_names(void)
{
	const char *p;
	size_t i, len;

	for (i = 0; i < ROWS; i++)
		for (p = table[i].names; *p != '\0' && count < ROOM; p += len) {
			p += *p == ' ';
			len = strcspn(p, " ");
			sorted[count++] = (struct sorted){ p, len, &table[i].is };
		}
	qsort(sorted, count, sizeof(sorted[0]), compare);
}

const struct opcode *
opcode_find(const char *text, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct sorted key = { text, len, NULL }, *found;

	if (len == 0)
		return NULL;
	pthread_once(&once, sort_names);
	found = bsearch(&key, sorted, count, sizeof(sorted[0]), compare);
	return found != NULL ? found->is : NULL;
}

/* Is ${text} this word, up to its end or a dot? The first letter is compared first: it
 * decides nearly always, and this function is called very often. */
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
	/* A load from global memory through the read-only path. */
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

bool
opcode_is_any(const struct sass_instruction *in, const char *names)
{
	const char *is = in != NULL ? in->opcode : NULL;
	size_t n;

	/* Letter by letter: most names differ in the first. */
	while (is != NULL && *names != '\0') {
		for (n = 0; names[n] == is[n] && is[n] != '\0'; n++)
			;
		if ((names[n] == ' ' || names[n] == '\0') &&
		    (is[n] == '.' || is[n] == '\0'))
			return true;
		for (names += n; *names != '\0' && *names++ != ' ';)
			;
	}
	return false;
}

bool
opcode_adds(const struct sass_instruction *in)
{
	return opcode_is_any(in, "IADD IADD3 IADD32I UIADD UIADD3 UVIADD VIADD");
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
