/*
 * fuzz_demangle.c: a mangled name: the demangler must answer in bounded time,
 * whatever the name is. The first byte tells how much of the run's time is
 * already spent, and whether the other bytes are text or words of the grammar.
 */
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The kernel checks a timer of processor time at each of its ticks, at most 10
 * ms apart. The sanitizers get as much again. */
#define SLACK_NS 40000000u

/* On a virtual machine time also passes while its host runs others. A name that
 * really takes too long does so in each of these tries. */
#define TRIES 5

/* The demangler is not instrumented, so the fuzzer cannot see which mutations reach
 * new code. Words of the grammar make more names complete than random bytes do. */
static const char *const word[] = {
	"1A", "1f", "i", "P", "R", "O", "K", "I", "J", "E", "N", "X", "L",
	"Dp", "Dt", "DT", "S_", "S0_", "S1_", "S2_", "S3_", "S4_", "S5_",
	"S6_", "S7_", "S8_", "S9_", "SA_", "SB_", "SC_", "SD_", "SE_", "SF_",
	"SG_", "SH_", "SI_", "SJ_", "SK_", "T_", "T0_", "T1_", "T2_", "T3_",
	"TL0__", "sp", "sZ", "sr", "cl", "cv", "pl", "fp_", "fL0p_", "St",
	"Ss", "Li1E", "Lb1E", "Ul", "Ut_", "E_", "Z", "F", "v", "A_", "A9_",
	"M", "C1", "D1", "B1a", "tl", "il", "dt", "pt", "qu", "fl", "fr",
};

#define WORDS (sizeof(word) / sizeof(*word))

static char *
name_of(const uint8_t *data, size_t size, int words)
{
	char *mangled = malloc(8 * size + 3);
	size_t i, at = 2, n;

	if (mangled == NULL)
		return NULL;
	memcpy(mangled, "_Z", 2);
	for (i = 0; i < size; i++) {
		n = words ? strlen(word[data[i] % WORDS]) : 1;
		memcpy(mangled + at, words ? word[data[i] % WORDS] :
		    (const char *)data + i, n);
		at += n;
	}
	mangled[at] = '\0';
	return mangled;
}

/* Whether it takes too long in every try. */
static int
is_slow(const struct demangling *begin, const char *mangled)
{
	struct demangling d;
	int i;

	for (i = 0; i < TRIES; i++) {
		d = *begin;
		free(demangle_name(&d, mangled));
		if (d.spent_ns - begin->spent_ns <= DEMANGLE_NAME_NS + SLACK_NS)
			return 0;
	}
	return 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct demangling d = { 0 }, begin;
	char *mangled, *name, brief[256];

	if (size < 1 || size > 20000 ||
	    (mangled = name_of(data + 1, size - 1, data[0] & 1)) == NULL)
		return 0;
	d.spent_ns = DEMANGLE_RUN_NS / 255 * data[0];
	begin = d;
	if ((name = demangle_name(&d, mangled)) != NULL) {
		if ((d.spent_ns - begin.spent_ns > DEMANGLE_NAME_NS + SLACK_NS &&
		    is_slow(&begin, mangled)) ||
		    d.raw > 1 || strlen(name) > 65535 ||
		    (d.raw == 1 && strcmp(name, mangled) != 0))
			abort();
		text_shorten(brief, sizeof(brief), name);
	}
	free(name);
	free(mangled);
	return 0;
}
