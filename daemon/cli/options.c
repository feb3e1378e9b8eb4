#include <getopt.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/trial.h"
#include "wire/record.h"

#include "cli/near.h"

#include "cli/command.h"

#define KERNEL_MAX 1024		/* bytes of --kernel: injection/filter.c */

/* "text json" and "text: for people; json: …", from the table: the space and
 * the semicolon before the first are skipped. */
#define SHOWN(name, help) " " #name
#define WRITTEN(id, name, suffix, type, reads, help) " " name
static const char shown_names[] =
#include "report/format.def"
    ;
#define SHOWN(name, help) "; " #name ": " help
#define WRITTEN(id, name, suffix, type, reads, help) "; " name ": " help
static const char shown_help[] =
#include "report/format.def"
    ;
#define EXPORTED(name, suffix, type, reads, help) " " #name
#define WRITTEN(id, name, suffix, type, reads, help) " " name
static const char exported_names[] =
#include "report/format.def"
    ;
#define EXPORTED(name, suffix, type, reads, help) "; " #name ": " help
#define WRITTEN(id, name, suffix, type, reads, help) "; " name ": " help
static const char exported_help[] =
#include "report/format.def"
    ;
/* The levels, likewise. */
#define LEVEL(name, value, word, parts, help) " " #word
static const char level_names[] =
#include "wire/level.def"
    ;
#define LEVEL(name, value, word, parts, help) "; " #word ": " help
static const char level_help[] = "how much to measure"
#include "wire/level.def"
    ;
#define LEVEL_NAMES (level_names + 1)
#define LEVEL_HELP level_help
#define SHOWN_NAMES (shown_names + 1)
#define SHOWN_HELP (shown_help + 2)
#define EXPORTED_NAMES (exported_names + 1)
#define EXPORTED_HELP (exported_help + 2)
_Static_assert(SHOWN_text == 0 && SHOWN_json == 1, "the choices of OPTION_FORMAT");

/* The reasons of --allow, likewise. */
#define CONDITION(id, name, help) " " name
static const char condition_names[] =
#include "compare/condition.def"
    ;
#define CONDITION(id, name, help) "; " name ": " help
static const char condition_help[] = "compare although this differs or happened"
#include "compare/condition.def"
    ;
#define CONDITION_NAMES (condition_names + 1)
#define CONDITION_HELP condition_help

const struct option_row option_table[OPTIONS] = {
#define BIT(command) (1u << COMMAND_##command)
#define OPTION(id, name, letter, value, choices, commands, help)	\
	[OPTION_##id] = { name, letter, value, choices, commands, help },
#include "cli/command.def"
#undef BIT
};

const struct command command_table[COMMANDS] = {
#define COMMAND(id, name, operands, kind, least, most, flags, summary, more) \
	[COMMAND_##id] = { #name, operands, kind, least, most, flags, summary, \
	    more },
#include "cli/command.def"
};

const struct command *
command_find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (strcmp(command_table[i].name, name) == 0)
			return &command_table[i];
	return NULL;
}

/* Index of ${value} among the space-separated choices, or -1. */
static int
choice_of(const struct option_row *row, const char *value)
{
	const char *p = row->choices;
	size_t len = strlen(value), n;
	int i;

	for (i = 0; *p != '\0'; i++) {
		n = strcspn(p, " ");
		if (n == len && memcmp(p, value, n) == 0)
			return i;
		p += n;
		p += strspn(p, " ");
	}
	return -1;
}

/* "5", "5%" as a ratio. */
static int
set_percent(double *out, const struct option_row *row, const char *value,
    double least, double most, struct error *e)
{
	char number[32];
	double percent;

	text_copy(number, sizeof(number), value);
	if (number[0] != '\0' && number[strlen(number) - 1] == '%')
		number[strlen(number) - 1] = '\0';
	if (text_double(number, least, most, &percent) != 0)
		return error_set(e, "--%s: '%.60s' is not a percentage from "
		    "%g to %g", row->name, value, least, most);
	*out = percent / 100;
	return 0;
}

static int
set_number(long *out, const struct option_row *row, const char *value,
    uint64_t max, struct error *e)
{
	uint64_t n;

	if (text_u64(value, 1, max, &n) != 0)
		return error_set(e, "--%s: '%.60s' is not a number from 1 to "
		    "%lu", row->name, value, (unsigned long)max);
	*out = (long)n;
	return 0;
}

/* Parses "memcheck,racecheck" into bits of the indexes among the choices. */
static int
set_choices(uint32_t *out, const struct option_row *row, const char *value,
    struct error *e)
{
	const char *p = value;
	char name[64];
	size_t n;
	int at;

	*out = 0;
	for (;; p += n + 1) {
		n = strcspn(p, ",");
		snprintf(name, sizeof(name), "%.*s", (int)(n < 60 ? n : 60), p);
		if ((at = choice_of(row, name)) < 0)
			return error_set(e, "--%s: '%s' is none of: %s",
			    row->name, name, row->choices);
		*out |= 1u << at;
		if (p[n] == '\0')
			return 0;
	}
}

static int
set_tools(struct options *o, const char *value, struct error *e)
{

	if (set_choices(&o->tools, &option_table[OPTION_TOOL], value, e) != 0)
		return -1;
	o->tools <<= TOOL_MEMCHECK;
	return 0;
}

/* Refuses back-references: matching such an expression could take for ever in
 * the program. */
static int
set_kernel(struct options *o, const char *value, struct error *e)
{
	char why[80];
	const char *p;
	regex_t regex;
	int r;

	if (strlen(value) > KERNEL_MAX)
		return error_set(e, "--kernel: more than %d bytes",
		    KERNEL_MAX);
	for (p = strchr(value, '\\'); p != NULL && p[1] != '\0';
	    p = strchr(p + 2, '\\'))
		if (p[1] >= '1' && p[1] <= '9')
			return error_set(e, "--kernel: '\\%c' is not known "
			    "here", p[1]);
	if (*value == '\0')
		return error_set(e, "--kernel needs a value");
	if ((r = regcomp(&regex, value, REG_EXTENDED | REG_NOSUB)) != 0) {
		regerror(r, &regex, why, sizeof(why));
		return error_set(e, "--kernel: '%.60s': %s", value, why);
	}
	regfree(&regex);
	o->kernel = value;
	return 0;
}

static int
set_launches(struct options *o, const char *value, struct error *e)
{
	size_t n = strspn(value, "0123456789"), m = 0;

	if (value[n] == ':')
		m = strspn(value + n + 1, "0123456789");
	if (n == 0 || n > 18 || m == 0 || m > 18 || value[n + 1 + m] != '\0' ||
	    strtoull(value, NULL, 10) == 0 || strtoull(value + n + 1, NULL,
	    10) < strtoull(value, NULL, 10))
		return error_set(e, "--launches: '%.60s' is not A:B, two "
		    "numbers from 1 in order", value);
	o->launches = value;
	return 0;
}

static int
set_env(struct options *o, const char *value, struct error *e)
{
	size_t n = strcspn(value, "=");

	if (n == 0 || value[n] != '=' || n > ENV_NAME_MAX)
		return error_set(e, "--env: '%.60s' is not NAME=VALUE", value);
	if (o->env[1] != NULL)
		return error_set(e, "--env: there are two sides, not three");
	o->env[o->env[0] != NULL] = value;
	return 0;
}

static int
set_since(struct options *o, const char *value, struct error *e)
{
	int64_t ns;

	if (text_instant(value, &ns) < 0)
		return error_set(e, "--since: '%.40s' is no date or instant in "
		    "UTC: 2026-11-20, 2026-11-20T13:26:15", value);
	o->since = value;
	o->all_runs = true;
	return 0;
}

static int
option_set(struct options *o, enum option_id id, const char *value,
    struct error *e)
{
	const struct option_row *row = &option_table[id];
	int choice = 0;

	if (row->choices != NULL && strcmp(row->choices, "FILE") != 0 &&
	    id != OPTION_TOOL && id != OPTION_ALLOW && (choice = choice_of(row, value)) < 0)
		return error_set(e, "--%s: '%.60s' is none of: %s", row->name,
		    value, row->choices);
	switch (id) {
	case OPTION_LEVEL:
	case OPTION_AB_LEVEL:
		o->level = 1 + choice;	/* the values of level.def */
		return 0;
	case OPTION_BUDGET:
		return set_percent(&o->budget, row, value, 0, 1000, e);
	case OPTION_ENV:
		return set_env(o, value, e);
	case OPTION_RUNS:
		return set_number(&o->runs, row, value, TRIAL_RUNS, e);
	case OPTION_SECONDS:
		return set_number(&o->seconds, row, value, 31536000, e);
	case OPTION_UNTIL:
		return set_percent(&o->until, row, value, 0.1, 100, e);
	case OPTION_MARGIN:
	case OPTION_MAX_SLOWDOWN:
		return set_percent(&o->margin, row, value, 0.1, 1000, e);
	case OPTION_BASELINE:
	case OPTION_SHOW_BASELINE:
		o->baseline = value;
		return 0;
	case OPTION_FAIL_ON:
		o->fail_on = choice + 1;
		return 0;
	case OPTION_ALLOW:
		return set_choices(&o->allowed, row, value, e);
	case OPTION_MAX_STALL:
		return set_number(&o->max_stall, row, value, 60000, e);
	case OPTION_KERNEL:
		return set_kernel(o, value, e);
	case OPTION_LAUNCHES:
		return set_launches(o, value, e);
	case OPTION_LABEL:
		if (strlen(value) > 200)
			return error_set(e, "--label: more than 200 bytes");
		o->label = value;
		return 0;
	case OPTION_NO_COUNTERS:
		o->no_counters = true;
		return 0;
	case OPTION_TOOL:
		return set_tools(o, value, e);
	case OPTION_TIMEOUT:
		return set_number(&o->timeout, row, value, 31536000, e);
	case OPTION_TWICE:
		o->twice = true;
		return 0;
	case OPTION_REPLAY:
		o->replay = true;
		return 0;
	case OPTION_REQUIRE_DAEMON:
		o->require_daemon = true;
		return 0;
	case OPTION_NO_DAEMON:
		o->no_daemon = true;
		return 0;
	case OPTION_JSON:
		o->json = true;
		o->format = SHOWN_json;
		return 0;
	case OPTION_FORMAT:
	case OPTION_SHOW_FORMAT:
		o->format = (unsigned)choice;
		o->json = choice == SHOWN_json;
		return 0;
	case OPTION_FINDING_FORMAT:
		o->format = choice == 2 ? SHOWN_jsonl : (unsigned)choice;
		o->json = choice == SHOWN_json;
		return 0;
	case OPTION_EXPORT_FORMAT:
		o->format = (unsigned)choice;
		return 0;
	case OPTION_REPORT_OUTPUT:
	case OPTION_OUTPUT:
		if (*value == '\0')
			return error_set(e, "--output: an empty file name");
		o->output = value;
		return 0;
	case OPTION_ALL_FINDINGS:
	case OPTION_ALL_RUNS:
	case OPTION_ALL_LINES:
		o->all = true;
		return 0;
	case OPTION_OF_ALL_RUNS:
		o->all_runs = true;
		return 0;
	case OPTION_OF_RULE:
		o->rule = value;
		return 0;
	case OPTION_SEVERITY:
		o->severity = choice + 1;
		return 0;
	case OPTION_PROGRAM:
		o->program = value;
		o->all_runs = true;
		return 0;
	case OPTION_SINCE:
		return set_since(o, value, e);
	case OPTION_SASS:
		o->sass = true;
		return 0;
	case OPTION_LINE:
		o->line = value;
		return 0;
	case OPTION_OF_RUN:
		o->run = value;
		return 0;
	case OPTION_RUN_LIMIT:
	case OPTION_FINDING_LIMIT:
	case OPTION_LIMIT:
		return set_number(&o->limit, row, value, 1000000, e);
	case OPTION_PRINT:
		o->print = true;
		return 0;
	case OPTION_OPEN:
		o->open = true;
		return 0;
	case OPTION_NO_OPEN:
		o->no_open = true;
		return 0;
	case OPTION_PORT:
		return set_number(&o->port, row, value, 65535, e);
	case OPTION_SHOW:
		o->show = true;
		return 0;
	case OPTION_REPORT:
		o->report = true;
		return 0;
	case OPTION_QUIET:
		o->quiet = true;
		return 0;
	case OPTION_VERBOSE:
		o->verbose = true;
		return 0;
	case OPTION_COLOR:
		o->color = (enum out_color)choice;
		return 0;
	case OPTION_HELP:
		o->help = true;
		return 0;
	case OPTIONS:
		break;
	}
	return error_set(e, "option %d has no meaning", (int)id);
}

/* The rows of one command in the form of getopt_long. */
struct parser {
	struct option longs[OPTIONS + 1];
	char shorts[3 * OPTIONS + 3];
	uint32_t bit;
};

static void
parser_init(struct parser *p, const struct command *c)
{
	const struct option_row *row;
	size_t i, n = 0, at = 0;

	memset(p, 0, sizeof(*p));
	p->bit = 1u << (c - command_table);
	/* Options after PROGRAM are the program's; elsewhere they may follow
	 * the operands. */
	if (c->kind == OPERAND_PROGRAM)
		p->shorts[at++] = '+';
	p->shorts[at++] = ':';
	for (i = 0; i < OPTIONS; i++) {
		row = &option_table[i];
		if ((row->commands & p->bit) == 0)
			continue;
		p->longs[n].name = row->name;
		p->longs[n].has_arg = row->value != NULL;
		p->longs[n++].val = 256 + (int)i;
		if (row->letter == 0)
			continue;
		p->shorts[at++] = row->letter;
		if (row->value != NULL)
			p->shorts[at++] = ':';
	}
}

static int
find_option(const struct parser *p, int got)
{
	int i;

	if (got >= 256)
		return got - 256;
	for (i = 0; i < OPTIONS; i++)
		if ((option_table[i].commands & p->bit) != 0 &&
		    option_table[i].letter == got)
			return i;
	return -1;
}

static void
unknown_option(const struct command *c, const struct parser *p,
    const char *word, struct error *e)
{
	const char *names[OPTIONS], *other = NULL;
	size_t i, n = 0;

	for (i = 0; i < OPTIONS; i++)
		if ((option_table[i].commands & p->bit) != 0)
			names[n++] = option_table[i].name;
	if (strncmp(word, "--", 2) == 0)
		other = near_word(word + 2, names, n);
	error_set(e, "unknown option '%.100s'", word);
	if (other != NULL)
		error_remedy(e, "did you mean --%s? cudadvise %s --help lists "
		    "the options", other, c->name);
}

static int
bad_option(const struct command *c, const struct parser *p, int got,
    char **argv, struct error *e)
{
	const char *word = argv[optind - 1];
	char letter[3] = { '-', (char)optopt, '\0' };
	int id;

	if (optopt != 0 && optopt < 256)
		word = letter;
	id = optopt != 0 ? find_option(p, optopt) : -1;
	if (got == ':')
		error_set(e, "option '%.100s' needs a value", word);
	else if (id >= 0)
		error_set(e, "option '%.100s' takes no value", word);
	else
		unknown_option(c, p, word, e);
	return error_remedy(e, "cudadvise %s --help lists the options",
	    c->name);
}

int
options_parse(struct options *o, const struct command *c, int argc,
    char **argv, struct error *e)
{
	struct parser p;
	int got, id;

	memset(o, 0, sizeof(*o));
	o->budget = NAN;
	parser_init(&p, c);
	optind = 0;		/* glibc: start over */
	opterr = 0;
	while ((got = getopt_long(argc, argv, p.shorts, p.longs, NULL)) !=
	    -1) {
		if (got == '?' || got == ':')
			return bad_option(c, &p, got, argv, e);
		if ((id = find_option(&p, got)) < 0)
			return error_set(e, "unknown option");
		if (option_set(o, (enum option_id)id, optarg, e) != 0)
			return -1;
	}
	if (o->help)
		return optind;
	o->dashes = optind > 1 && strcmp(argv[optind - 1], "--") == 0;
	if (argc - optind < c->least) {
		error_set(e, "%s needs %s", c->name, c->operands);
		return error_remedy(e, "usage: cudadvise %s [OPTION...] %s",
		    c->name, c->operands);
	}
	if (c->most >= 0 && argc - optind > c->most) {
		error_set(e, "%s does not take '%.100s'", c->name,
		    argv[optind + c->most]);
		return error_remedy(e, "see cudadvise %s --help", c->name);
	}
	return optind;
}
