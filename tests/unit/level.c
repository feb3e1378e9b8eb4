/*
 * level.c: the option, the configuration, the documents and the API's
 * description must have exactly the levels of wire/level.def.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/command.h"
#include "config/config.h"
#include "report/names.h"
#include "unit/test.h"
#include "wire/level.h"

static const struct {
	const char *word;
	unsigned value;
} levels[] = {
#define LEVEL(name, value, word, parts, help) { #word, value },
#include "wire/level.def"
};
#define LEVELS (sizeof(levels) / sizeof(levels[0]))

TEST(values_and_words)
{
	unsigned i;

	/* Old captures contain these numbers. */
	assert_int_equal(LEVEL_TRACE, 1);
	assert_int_equal(LEVEL_COUNTERS, 2);
	assert_int_equal(LEVEL_SOURCE, 3);
	assert_int_equal(LEVEL_AUTO, 4);
	for (i = 0; i < LEVELS; i++) {
		assert_int_equal(levels[i].value, i + 1);
		assert_string_equal(level_word(i + 1), levels[i].word);
		assert_string_equal(name_level((int)i + 1), levels[i].word);
		assert_int_equal(level_named(levels[i].word), i + 1);
	}
	assert_null(level_word(0));
	assert_null(level_word(LEVELS + 1));
	assert_string_equal(name_level((int)LEVELS + 1), "unknown");
	assert_string_equal(name_level(-1), "unknown");
	assert_int_equal(level_named("sourc"), LEVEL_UNKNOWN);
	assert_int_equal(level_named(NULL), LEVEL_UNKNOWN);
}

TEST(option)
{
	const struct command *run = command_find("run");
	struct error e = ERROR_INIT;
	struct options o;
	char text[64];
	char *argv[] = { (char *)"run", text, (char *)"a", NULL };
	size_t i;

	for (i = 0; i < LEVELS; i++) {
		snprintf(text, sizeof(text), "--level=%s", levels[i].word);
		assert_int_equal(options_parse(&o, run, 3, argv, &e), 2);
		assert_int_equal(o.level, levels[i].value);
		snprintf(text, sizeof(text), "; %s: ", levels[i].word);
		assert_non_null(strstr(option_table[OPTION_LEVEL].help, text));
	}
	assert_non_null(strstr(option_table[OPTION_LEVEL].help,
	    "; auto: the default"));
}

TEST(configuration)
{
	struct error e = ERROR_INIT;
	char path[] = "/tmp/cadv-level-XXXXXX";
	int fd = mkstemp(path);
	struct config c;
	FILE *f;
	size_t i;

	assert_true(fd >= 0);
	close(fd);
	config_init(&c);
	assert_int_equal(c.level, LEVEL_AUTO);
	config_clear(&c);
	for (i = 0; i < LEVELS; i++) {
		assert_non_null(f = fopen(path, "w"));
		fprintf(f, "[run]\nlevel = %s\n", levels[i].word);
		fclose(f);
		assert_int_equal(config_load(&c, path, true, &e), 0);
		assert_int_equal(c.level, levels[i].value);
		config_clear(&c);
	}
	unlink(path);
}

TEST(description)
{
	json_t *doc = json_load_file(CONFIG_DIR "/openapi.json", 0, NULL);
	const json_t *words = NULL;
	size_t i;

	assert_non_null(doc);
	assert_int_equal(json_unpack(doc, "{s:{s:{s:{s:{s:{s:o}}}}}}",
	    "components", "schemas", "Run", "properties", "level", "enum",
	    &words), 0);
	assert_int_equal(json_array_size(words), LEVELS + 1);
	for (i = 0; i < LEVELS; i++)
		assert_string_equal(json_string_value(json_array_get(words,
		    i)), levels[i].word);
	assert_string_equal(json_string_value(json_array_get(words, LEVELS)),
	    "unknown");
	json_decref(doc);
}

/* The parts of a level have functions of their own: the values have no order. */
TEST(parts)
{
	unsigned i;

	for (i = 1; i <= LEVELS; i++) {
		assert_int_equal(level_profiles(i), i != LEVEL_TRACE);
		if (level_counts(i) || level_samples(i))
			assert_true(level_profiles(i));
	}
	assert_true(level_counts(LEVEL_SOURCE) && level_samples(LEVEL_SOURCE) &&
	    level_keeps_sources(LEVEL_SOURCE));
	assert_false(level_counts(LEVEL_COUNTERS) ||
	    level_samples(LEVEL_COUNTERS) ||
	    level_keeps_sources(LEVEL_COUNTERS));
	assert_int_equal(level_parts(LEVELS + 1), 0);
	assert_int_equal(level_parts(0), 0);
}
