/*
 * sanitizer/kind.c: the kind of a report, from its first line.
 */
#include "sanitizer/parts.h"
#include "sanitizer/words.h"

/*
 * The first row that matches the line gives the kind. The texts are from NVIDIA's
 * manual of compute-sanitizer (2021 to 2025) and, the oldest, from cuda-memcheck's
 * logs. A report that matches no row but names a place is DEFECT_UNKNOWN.
 */
static const struct {
	const char *begin, *have;	/* ${have}: text anywhere in the line; NULL:
					 * not needed */
	enum wire_defect kind;
} rows[] = {
	{ "Invalid __", NULL, DEFECT_BOUNDS },
	{ "Misaligned ", NULL, DEFECT_MISALIGNED },
	/* A block of the cluster may not have started yet, or have ended. */
	{ "Potential invalid __", NULL, DEFECT_RACE },
	{ "Potential ", " hazard detected", DEFECT_RACE },
	{ "Race reported between", NULL, DEFECT_RACE },
	{ "Uninitialized __", NULL, DEFECT_UNINITIALISED },
	{ "Barrier error detected", "Divergent", DEFECT_DIVERGENT },
	{ "Barrier error detected", NULL, DEFECT_BARRIER },
	{ "Warpgroup MMA", NULL, DEFECT_BARRIER },
	{ "Deadlock detected", NULL, DEFECT_BARRIER },
	{ "Leaked ", NULL, DEFECT_LEAK },
	{ "Malloc/Free ", NULL, DEFECT_HEAP },
	{ "Malloc/free ", NULL, DEFECT_HEAP },
	{ "Program hit ", NULL, DEFECT_API },
	{ "Host API memory access error", NULL, DEFECT_BOUNDS },
	{ "Fatal UVM", NULL, DEFECT_FAULT },
	{ "Tensor Memory ", NULL, DEFECT_FAULT },
	{ "Warp ", NULL, DEFECT_FAULT },
	{ "Device hardware ", NULL, DEFECT_FAULT },
	{ "Stack overflow", NULL, DEFECT_FAULT },
};

static const struct {
	const char *word;
	enum wire_severity severity;
} severities[] = {
	{ "ERROR:", SEVERITY_ERROR }, { "Error:", SEVERITY_ERROR },
	{ "WARNING:", SEVERITY_WARNING }, { "Warning:", SEVERITY_WARNING },
	{ "WARN:", SEVERITY_WARNING },
	{ "INFO:", SEVERITY_INFO }, { "Info:", SEVERITY_INFO },
};

/* Drops the severity and a category: "Warning: (Warp Level Programming) Potential
 * …". */
struct wire_str
kind_severity(struct wire_str line, enum wire_severity *severity)
{
	const char *end;
	size_t i;

	*severity = SEVERITY_ERROR;
	for (i = 0; i < sizeof(severities) / sizeof(severities[0]); i++) {
		if (!words_begin(line, severities[i].word))
			continue;
		*severity = severities[i].severity;
		line = words_trim(words_skip(line,
		    strlen(severities[i].word)));
		break;
	}
	if (words_begin(line, "(") && (end = words_find(line, ") ")) != NULL)
		line = words_trim(words_skip(words_from(line, end), 2));
	return line;
}

bool
kind_of(struct wire_str line, enum wire_defect *kind)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (words_begin(line, rows[i].begin) &&
		    (rows[i].have == NULL || words_have(line, rows[i].have))) {
			*kind = rows[i].kind;
			return true;
		}
	return false;
}
