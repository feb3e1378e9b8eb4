/* The command line's tables: parsing, and that everything in them is documented. */
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "unit/test.h"
#include "wire/record.h"

#include "cli/command.h"
#include "report/format.h"

#define ARGS 12

/* Parses "a b c" as the command line of ${name}; returns the index of the first
 * operand. */
static int
parse(struct options *o, const char *name, const char *line, struct error *e)
{
	static char words[512];
	char *argv[ARGS + 2], *p = words;
	int argc = 1;
	size_t n;

	memset(e, 0, sizeof(*e));
	argv[0] = (char *)"cudadvise";
	snprintf(words, sizeof(words), "%s", line);
	for (; *p != '\0' && argc <= ARGS; argc++) {
		argv[argc] = p;
		n = strcspn(p, " ");
		p += n;
		if (*p == ' ')
			*p++ = '\0';
	}
	argv[argc] = NULL;
	return options_parse(o, command_find(name), argc, argv, e);
}

TEST(stops_at_the_program)
{
	struct options o;
	struct error e;

	assert_int_equal(parse(&o, "run", "-q ./app -v --level x", &e), 2);
	assert_true(o.quiet);
	assert_false(o.verbose);
	assert_int_equal(parse(&o, "run", "-- -strange -q", &e), 2);
	assert_false(o.quiet);
}

TEST(options_may_come_last)
{
	struct options o;
	struct error e;

	assert_int_equal(parse(&o, "findings", "41 --all", &e), 2);
	assert_true(o.all);
	assert_int_equal(parse(&o, "rm", "1 -q 2", &e), 2);
}

TEST(values)
{
	struct options o;
	struct error e;

	assert_int_equal(parse(&o, "run", "--level source --overhead-budget "
	    "2.5% --label=x --no-daemon -o f a", &e), 9);
	assert_int_equal(o.level, LEVEL_SOURCE);
	assert_true(o.budget > 0.02499 && o.budget < 0.02501);
	assert_string_equal(o.label, "x");
	assert_string_equal(o.output, "f");
	assert_true(o.no_daemon);
	assert_int_equal(o.max_stall, 0);	/* not given */
	assert_int_equal(parse(&o, "run", "--max-stall 60000 a", &e), 3);
	assert_int_equal(o.max_stall, 60000);
	assert_int_equal(parse(&o, "run", "-k ^a|b[0-9]+$ --launches 3:9 a",
	    &e), 5);
	assert_string_equal(o.kernel, "^a|b[0-9]+$");
	assert_string_equal(o.launches, "3:9");
	assert_int_equal(parse(&o, "list", "--format json -n 7", &e), 5);
	assert_true(o.json);
	assert_int_equal(o.limit, 7);
	assert_int_equal(parse(&o, "export", "--format capture 4", &e), 3);
	assert_int_equal(o.format, EXPORTED_capture);
	assert_false(o.json);
	assert_int_equal(parse(&o, "annotate", "--sass -r 41 --line a.cu:7 k",
	    &e), 6);
	assert_true(o.sass);
	assert_string_equal(o.run, "41");
	assert_string_equal(o.line, "a.cu:7");
	assert_int_equal(parse(&o, "list", "--color always", &e), 3);
	assert_int_equal(o.color, COLOR_ALWAYS);
}

TEST(refuses)
{
	static const struct {
		const char *command, *line, *says;
	} cases[] = {
		{ "run", "", "needs" },
		{ "run", "--nosuch a", "unknown option '--nosuch'" },
		{ "run", "-Z a", "unknown option '-Z'" },
		{ "run", "--level", "needs a value" },
		{ "run", "-o", "needs a value" },
		{ "run", "--level fast a", "none of: trace counters source "
		    "auto" },
		{ "run", "--level trac a", "none of" },
		{ "run", "--overhead-budget 5x a", "not a percentage" },
		{ "run", "--overhead-budget -5 a", "not a percentage" },
		{ "run", "--overhead-budget nan a", "not a percentage" },
		{ "run", "--max-stall 0 a", "not a number from 1 to 60000" },
		{ "run", "--max-stall 60001 a", "not a number from 1" },
		{ "run", "--max-stall 1s a", "not a number from 1" },
		{ "run", "--max-stall", "needs a value" },
		{ "sanitize", "--max-stall 5 a", "unknown option" },
		{ "run", "--kernel a[ a", "--kernel: 'a['" },
		{ "run", "--kernel (a)\\1 a", "is not known here" },
		{ "run", "--kernel", "needs a value" },
		{ "run", "--launches 5 a", "is not A:B" },
		{ "run", "--launches 0:5 a", "is not A:B" },
		{ "run", "--launches 6:5 a", "is not A:B" },
		{ "run", "--launches 1:5x a", "is not A:B" },
		{ "run", "--launches 1:1234567890123456789 a", "is not A:B" },
		{ "run", "--quiet=yes a", "takes no value" },
		{ "list", "--level trace", "unknown option '--level'" },
		{ "list", "-n 0", "not a number" },
		{ "list", "-n 1e3", "not a number" },
		{ "list", "extra", "does not take 'extra'" },
		{ "show", "1 2", "does not take '2'" },
		{ "dashboard", "--port 65536", "not a number" },
		{ "list", "--format xml", "none of: text json" },
		{ "explain", "", "needs RULE" },
		{ "annotate", "a b", "does not take 'b'" },
		{ "kernels", "--sass", "unknown option '--sass'" },
	};
	struct options o;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (parse(&o, cases[i].command, cases[i].line, &e) != -1)
			fail_msg("took: %s %s", cases[i].command,
			    cases[i].line);
		if (strstr(e.text, cases[i].says) == NULL)
			fail_msg("%s %s said: %s", cases[i].command,
			    cases[i].line, e.text);
	}
}

TEST(help_needs_no_operand)
{
	struct options o;
	struct error e;
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		assert_true(parse(&o, command_table[i].name, "--help", &e) >=
		    0);
		assert_true(o.help);
	}
}

/* Two options of one command must not share a name or letter. */
TEST(no_clashes)
{
	const struct option_row *a, *b;
	size_t i, j;

	for (i = 0; i < OPTIONS; i++) {
		for (j = 0; j < i; j++) {
			a = &option_table[i];
			b = &option_table[j];
			if ((a->commands & b->commands) == 0)
				continue;
			assert_string_not_equal(a->name, b->name);
			if (a->letter != 0)
				assert_int_not_equal(a->letter, b->letter);
		}
	}
}

/* Not inlined: gcc 12 then takes what the stream allocates for a local. */
__attribute__((noinline)) static char *
text_of(void (*print)(FILE *))
{
	char *text;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	print(file);
	fclose(file);
	return text;
}

/* Every command has a section with its options in the manual, and a page of
 * --help that names them. */
TEST(everything_documented)
{
	char *manual = text_of(help_scdoc), *page, want[96], *section;
	size_t i, j, len;
	struct out o = { .width = 80 };

	for (i = 0; i < COMMANDS; i++) {
		assert_true(command_table[i].summary[0] != '\0');
		snprintf(want, sizeof(want), "## cudadvise %s\n",
		    command_table[i].name);
		section = strstr(manual, want);
		if (section == NULL)
			fail_msg("the manual lacks %s", want);
		o.file = open_memstream(&page, &len);
		help_command(&o, &command_table[i]);
		fclose(o.file);
		for (j = 0; j < OPTIONS; j++) {
			if ((option_table[j].commands >> i & 1) == 0)
				continue;
			snprintf(want, sizeof(want), "--%s",
			    option_table[j].name);
			assert_non_null(strstr(page, want));
			assert_true(option_table[j].help[0] != '\0');
			snprintf(want, sizeof(want), "*--%s*",
			    option_table[j].name);
			if (option_table[j].commands != ~0u)
				assert_non_null(strstr(section, want));
		}
		free(page);
	}
	free(manual);
}

TEST(quoting)
{
	char *s = client_quote("a/b?c=\xff d");

	assert_string_equal(s, "a%2Fb%3Fc%3D%FF%20d");
	free(s);
}
