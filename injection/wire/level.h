/*
 * wire/level.h: the levels, from level.def: how much of a program is measured. Code
 * asks what a level does (level_profiles …); the values have no order.
 */
#ifndef CADV_WIRE_LEVEL_H
#define CADV_WIRE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum wire_level {
	LEVEL_UNKNOWN,
#define LEVEL(name, value, word, parts, help) LEVEL_##name = value,
#include "wire/level.def"
};
#define LEVEL_DEFAULT LEVEL_AUTO

enum level_part {
	LEVEL_PROFILES = 1,	/* hardware counters, the code, launch sites */
	LEVEL_SOURCES = 2,	/* the source text, more launch sites */
	LEVEL_SAMPLES = 4,	/* PC samples */
	LEVEL_COUNTS = 8,	/* counts by instruction, more of the code */
};

/* level_parts(level): what the level does, a set of enum level_part; 0 for a level of a
 * newer version. */
static inline unsigned
level_parts(unsigned level)
{

	switch (level) {
#define LEVEL(name, value, word, parts, help) case value: return parts;
#include "wire/level.def"
	}
	return 0;
}

static inline bool
level_profiles(unsigned level)
{

	return (level_parts(level) & LEVEL_PROFILES) != 0;
}

static inline bool
level_keeps_sources(unsigned level)
{

	return (level_parts(level) & LEVEL_SOURCES) != 0;
}

static inline bool
level_samples(unsigned level)
{

	return (level_parts(level) & LEVEL_SAMPLES) != 0;
}

static inline bool
level_counts(unsigned level)
{

	return (level_parts(level) & LEVEL_COUNTS) != 0;
}

/* level_word(level): its name, such as "counters"; NULL for a level that is not in the
 * table. */
static inline const char *
level_word(unsigned level)
{

	switch (level) {
#define LEVEL(name, value, word, parts, help) case value: return #word;
#include "wire/level.def"
	}
	return NULL;
}

/* level_named(word): the level of that name; LEVEL_UNKNOWN for NULL and for words that
 * are not in the table. */
static inline enum wire_level
level_named(const char *word)
{

	if (word == NULL)
		return LEVEL_UNKNOWN;
#define LEVEL(name, value, word_, parts, help)				\
	if (strcmp(word, #word_) == 0)					\
		return LEVEL_##name;
#include "wire/level.def"
	return LEVEL_UNKNOWN;
}

#endif
