/*
 * sanitizer/log.c: reads the log line by line: the first line of a report opens it, the
 * following lines fill it in, a line with nothing but the prefix closes it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sanitizer/log.h"
#include "sanitizer/parts.h"
#include "sanitizer/words.h"

#define PREFIX_LEAST 8		/* the prefix of a line is nine '='; accept eight */

struct log_reader {
	struct sanitizer_log *log;
	size_t room;
	struct sanitizer_report now;
	bool open, sited, framed;
	bool at, device;	/* the report had an "at" or a "Device Frame" line */
	struct sanitizer_place frame;	/* the latest host frame */
	struct wire_str pending;	/* a line that opens a report if the next
					 * names a place */
	bool failed;			/* no memory */
};

/* --- a report ------------------------------------------------------------- */

static void
add_detail(struct log_reader *r, struct wire_str s)
{
	char *d = r->now.detail;
	size_t have = strlen(d);

	if (s.len == 0 || have + 3 >= SANITIZER_DETAIL)
		return;
	snprintf(d + have, SANITIZER_DETAIL - have, "%s%.*s",
	    have > 0 ? ", " : "", (int)s.len, s.p);
}

/* The latest host frame is complete: take it as the call site unless it belongs to the
 * runtime or a better one is known. */
static void
end_frame(struct log_reader *r)
{
	struct wire_str kernel = r->now.kernel.function.len > 0 ?
	    r->now.kernel.function : r->now.at.function;

	if (r->framed && !r->sited &&
	    !place_is_runtime(&r->frame, kernel)) {
		/* A frame without a name is used only if no frame has one. */
		if (r->frame.function.len > 0) {
			r->now.site = r->frame;
			r->sited = true;
		} else if (r->now.site.object.len == 0) {
			r->now.site = r->frame;
		}
	}
	r->framed = false;
}

static void
close_report(struct log_reader *r)
{
	struct sanitizer_log *log = r->log;
	struct sanitizer_report *grown, *now = &r->now;
	size_t room;

	r->pending.len = 0;
	if (!r->open)
		return;
	end_frame(r);
	r->open = false;
	if (!r->device)
		now->kernel.function = now->at.clone.len > 0 ?
		    now->at.clone : now->at.function;
	if (now->count == 0)
		now->count = 1;
	if (log->reports == SANITIZER_REPORTS) {
		log->dropped++;
		return;
	}
	if (log->reports == r->room) {
		room = r->room == 0 ? 32 : 2 * r->room;
		grown = realloc(log->report, room * sizeof(*grown));
		if (grown == NULL) {
			r->failed = true;
			return;
		}
		log->report = grown;
		r->room = room;
	}
	log->report[log->reports++] = *now;
}

/* Three numbers in parentheses behind ${word}, which ends in "(": "block (0,0,0)",
 * "thread (31, 0, 0)". */
static bool
three(struct wire_str s, const char *word, uint32_t out[3])
{
	const char *p = words_find(s, word);
	uint64_t n;
	int i;

	if (p == NULL)
		return false;
	s = words_skip(words_from(s, p), strlen(word));
	for (i = 0; i < 3; i++) {
		/* words_number reads commas as part of a number: cut at the comma
		 * first. */
		p = words_find(s, i < 2 ? "," : ")");
		if (p == NULL ||
		    !words_number(words_trim(words_until(s, p)), &n) ||
		    n > UINT32_MAX)
			return false;
		out[i] = (uint32_t)n;
		s = words_skip(words_from(s, p), 1);
	}
	return true;
}

static void
take_who(struct log_reader *r, struct wire_str s)
{
	uint32_t thread[3], block[3];

	if (!three(s, "hread (", thread) || !three(s, "block (", block))
		return;
	memcpy(r->now.thread, thread, sizeof(thread));
	memcpy(r->now.block, block, sizeof(block));
	r->now.flags |= DEFECT_THREAD;
}

/* Opens a report with its kind and severity, and what else its first line tells. */
static void
open_report(struct log_reader *r, enum wire_defect kind,
    enum wire_severity severity, struct wire_str line)
{
	struct sanitizer_report *now = &r->now;
	const char *p;
	uint64_t n;

	close_report(r);
	memset(now, 0, sizeof(*now));
	r->open = true;
	r->sited = r->framed = r->at = r->device = false;
	now->kind = kind;
	now->severity = severity;
	now->text = line;
	if (words_number_after(line, " of size ", &n) ||
	    (kind == DEFECT_LEAK && words_number_after(line, "Leaked ", &n)))
		now->bytes = n;
	if (words_number_after(line, "__shared__ ", &n) ||
	    words_number_after(line, "host access to ", &n) ||
	    (kind == DEFECT_LEAK && words_number_after(line, " at ", &n))) {
		now->address = n;
		now->flags |= DEFECT_ADDRESS;
	}
	/* "Race reported between Write access at PLACE", "Deadlock … at PLACE" */
	if (kind == DEFECT_RACE && (p = words_find(line, " access at ")) !=
	    NULL) {
		now->at = place_device(words_skip(words_from(line, p), 11));
		now->text = words_until(line, p + 7);
		r->at = true;
	} else if (words_begin(line, "Deadlock") &&
	    (p = words_find_last(line, " at ")) != NULL) {
		now->at = place_device(words_skip(words_from(line, p), 4));
		now->text = words_until(line, p);
		r->at = true;
		take_who(r, line);
	} else if (kind == DEFECT_RACE && (p = words_find(line,
	    " detected")) != NULL) {
		three(line, "block (", now->block);
		now->text = words_until(line, p);
	}
	while (now->text.len > 0 && now->text.p[now->text.len - 1] == '.')
		now->text.len--;
}

/* --- the lines below the first ---------------------------------------------- */

static void
take_at(struct log_reader *r, struct wire_str s)
{

	if (r->at)
		return;
	r->now.at = place_device(words_skip(s, 3));
	r->at = true;
}

static void
take_address(struct log_reader *r, struct wire_str s)
{
	const char *p = words_find(s, " 0x");
	uint64_t n;

	if (p != NULL && words_number(words_skip(words_from(s, p), 1), &n)) {
		r->now.address = n;
		r->now.flags |= DEFECT_ADDRESS;
	}
	if (words_have(s, "misaligned"))
		r->now.kind = DEFECT_MISALIGNED;
	else if (r->now.kind == DEFECT_BOUNDS && (words_have(s, "freed") ||
	    words_have(s, "before alloc") || words_have(s, "after free")))
		r->now.kind = DEFECT_LIFETIME;
	add_detail(r, s);
}

/* "and Read access at PLACE [508 hazards]": the other access of a race. */
static void
take_partner(struct log_reader *r, struct wire_str s)
{
	const char *at = words_find(s, " access at "),
	    *bracket = words_find_last(s, " [");
	struct sanitizer_place p;
	uint64_t n;

	p = place_device(words_skip(words_from(s, at), 11));
	if (bracket != NULL && words_number(words_skip(words_from(s, bracket),
	    2), &n) && __builtin_add_overflow(r->now.count, n, &r->now.count))
		r->now.count = UINT64_MAX;
	if (r->now.partner.function.len == 0 && r->now.partner.file.len == 0)
		r->now.partner = p;
	add_detail(r, s);
}

/* "Write Thread (0,0,0) at PLACE": the earlier access comes first, then the later. */
static void
take_hazard(struct log_reader *r, struct wire_str s)
{
	const char *at = words_find(s, ") at ");
	struct sanitizer_place p;

	add_detail(r, s);
	if (at == NULL)
		return;
	p = place_device(words_skip(words_from(s, at), 5));
	if (!r->at) {
		r->now.at = p;
		r->at = true;
		if (three(s, "hread (", r->now.thread))
			r->now.flags |= DEFECT_THREAD;
	} else if (r->now.partner.function.len == 0) {
		r->now.partner = p;
	}
}

static void
take_device_frame(struct log_reader *r, struct wire_str s)
{
	const char *colon = words_find(s, ":");

	r->now.kernel = place_device_frame(words_skip(words_from(s, colon),
	    1));
	r->device = true;
}

static void
take_host_frame(struct log_reader *r, struct wire_str s)
{
	const char *colon = words_find(s, ":");

	end_frame(r);
	r->frame = place_host(words_skip(words_from(s, colon), 1));
	r->framed = true;
}

/* "in /home/demo": the object file of a host frame, on a line of its own. */
static void
take_object(struct log_reader *r, struct wire_str s)
{

	if (r->framed && r->frame.object.len == 0)
		r->frame.object = words_skip(s, 3);
}

/* The report is about a memory call of the host, whose first line does not tell the
 * kind of error. */
static void
take_host_access(struct log_reader *r, struct wire_str s)
{

	if (words_begin(s, "Uninitialized"))
		r->now.kind = DEFECT_UNINITIALISED;
	add_detail(r, s);
}

static const struct {
	const char *begin, *have;
	void (*take)(struct log_reader *, struct wire_str);
} details[] = {
	{ "at ", NULL, take_at },
	{ "by thread ", NULL, take_who },
	{ "Address ", NULL, take_address },
	{ "Access at ", NULL, take_address },
	{ "Access to ", NULL, take_address },
	{ "and is ", NULL, add_detail },
	{ "and ", " access at ", take_partner },
	{ "Read Thread (", NULL, take_hazard },
	{ "Write Thread (", NULL, take_hazard },
	{ "Atomic Thread (", NULL, take_hazard },
	{ "Current Value", NULL, add_detail },
	{ "Barrier is located", NULL, add_detail },
	{ "during ", NULL, add_detail },
	{ "Uninitialized access", NULL, take_host_access },
	{ "Invalid access", NULL, take_host_access },
	{ "Device Frame:", NULL, take_device_frame },
	{ "Host Frame:", NULL, take_host_frame },
	{ "Saved host backtrace", NULL, NULL },
	{ "in ", NULL, take_object },
};

/* Takes in a line below the first of a report. 1 if it did, else 0. */
static int
take_detail(struct log_reader *r, struct wire_str s)
{
	enum wire_severity severity;
	struct wire_str line;
	size_t i;

	for (i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		if (!words_begin(s, details[i].begin) ||
		    (details[i].have != NULL &&
		    !words_have(s, details[i].have)))
			continue;
		/* A pending line that is followed by a place opens a report, even if
		 * its kind is unknown. */
		if (!r->open && r->pending.len > 0) {
			line = kind_severity(r->pending, &severity);
			open_report(r, DEFECT_UNKNOWN, severity, line);
		}
		if (r->open && details[i].take != NULL)
			details[i].take(r, s);
		return r->open;
	}
	return 0;
}

/* --- what the tool says of itself and of the program --------------------------- */

static void
take_summary(struct sanitizer_log *log, struct wire_str s)
{
	uint64_t n;

	if (words_have(s, "not printed")) {
		if (words_number_after(s, "SUMMARY: ", &n) ||
		    words_number_after(s, "WARNING: ", &n))
			log->unreported = n;
		return;
	}
	if (words_begin(s, "LEAK "))
		return;
	log->summary = true;
	if (words_begin(s, "RACECHECK ")) {
		if (words_number_after(s, "(", &n))
			log->errors = n;
		if (words_number_after(s, " errors, ", &n) ||
		    words_number_after(s, " error, ", &n))
			log->warnings = n;
	} else if (words_number_after(s, "SUMMARY: ", &n) && n > log->errors) {
		log->errors = n;
	}
}

static bool
is_summary(struct wire_str s)
{

	return words_begin(s, "ERROR SUMMARY:") ||
	    words_begin(s, "LEAK SUMMARY:") ||
	    words_begin(s, "RACECHECK SUMMARY:") ||
	    words_have(s, "were not printed");
}

/* True if the line is a remark about the tool or the program and no part of a
 * report. */
static bool
take_remark(struct sanitizer_log *log, struct wire_str s)
{
	bool trouble = words_begin(s, "Error: ") ||
	    words_begin(s, "Internal Sanitizer Error");

	if (words_begin(s, "Target application returned an error") ||
	    words_have(s, "process didn't terminate successfully")) {
		log->program_failed = true;
		return true;
	}
	if (words_have(s, "terminated before first instrumented API call"))
		log->no_gpu = true;
	if (trouble && log->trouble.len == 0)
		log->trouble = s;
	return trouble;
}

static void
take_line(struct log_reader *r, struct wire_str s)
{
	enum wire_severity severity;
	enum wire_defect kind;
	struct wire_str body, line;
	uint32_t n = 0;
	bool below;

	while (n < s.len && s.p[n] == '=')
		n++;
	if (n < PREFIX_LEAST)
		return;			/* not a line of the tool */
	body = words_trim(words_skip(s, n));
	below = s.len > n + 1 && s.p[n] == ' ' && s.p[n + 1] == ' ';
	if (body.len == 0) {
		close_report(r);
		return;
	}
	if (is_summary(body)) {
		close_report(r);
		take_summary(r->log, body);
		return;
	}
	if (take_detail(r, body))
		return;
	line = kind_severity(body, &severity);
	if (kind_of(line, &kind)) {
		open_report(r, kind, severity, line);
	} else if (take_remark(r->log, body)) {
		close_report(r);
	} else if (r->open && below) {
		add_detail(r, body);
	} else {
		close_report(r);
		r->pending = body;
	}
}

int
sanitizer_read(struct sanitizer_log *log, const char *text, size_t len)
{
	struct log_reader r = { .log = log };
	const char *end = text + len, *nl;
	size_t n;

	memset(log, 0, sizeof(*log));
	for (; text < end; text = nl + 1) {
		nl = memchr(text, '\n', (size_t)(end - text));
		if (nl == NULL)
			nl = end;
		n = (size_t)(nl - text);
		/* Names may be long; a line longer than any name is cut. */
		take_line(&r, (struct wire_str){ text, (uint32_t)(n <
		    RECORD_MAX_STRING ? n : RECORD_MAX_STRING) });
	}
	close_report(&r);
	if (!r.failed)
		return 0;
	sanitizer_release(log);
	return -1;
}

void
sanitizer_release(struct sanitizer_log *log)
{

	free(log->report);
	memset(log, 0, sizeof(*log));
}
