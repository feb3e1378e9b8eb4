#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "emit.h"
#include "range_name.h"

#define NAME_SLOTS (1u << 16)	/* more than twice as many as there can be names */
#define KIND_SLOTS (2 * RANGE_KINDS)
#define KIND_ENDS ":=([{#,0123456789"

enum level {
	WHOLE,
	FOLDED,
	KIND,
	LEVELS
};

static const uint32_t most[LEVELS] = { RANGE_NAMES, RANGE_FOLDED, RANGE_KINDS };

struct kind {
	uint64_t hash;		/* 0: free */
	uint32_t used[LEVELS];
};

static struct {
	uint64_t hash[NAME_SLOTS];	/* of the names that were sent; 0: free */
	uint32_t string[NAME_SLOTS];	/* their ids */
	uint32_t used[LEVELS];		/* names of each level */
	struct kind kind[KIND_SLOTS];
	uint32_t kinds;
} names;

/* How long what tells the kind of ${text} is: one character at least. */
static size_t
kind_length(const char *text)
{

	return 1 + strcspn(text + 1, KIND_ENDS);
}

/* The kind of ${text}; NULL: there are too many, and it shares the rest with others. */
static struct kind *
kind_of(const char *text)
{
	uint64_t h = XXH64(text, kind_length(text), 0) | 1;
	uint32_t i = (uint32_t)(h >> 32) & (KIND_SLOTS - 1);

	for (; names.kind[i].hash != 0; i = (i + 1) & (KIND_SLOTS - 1))
		if (names.kind[i].hash == h)
			return &names.kind[i];
	if (names.kinds == RANGE_KINDS)
		return NULL;
	names.kinds++;
	names.kind[i].hash = h;
	return &names.kind[i];
}

/* The id of ${text}, a name of ${level} and of the kind ${k}, which is sent if it is new and
 * there may be one more. False: there are too many. */
static bool
string_of(const char *text, enum level level, struct kind *k, uint32_t *id)
{
	uint64_t h = XXH64(text, strlen(text), 0) | 1;
	uint32_t i = (uint32_t)(h >> 32) & (NAME_SLOTS - 1);

	for (; names.hash[i] != 0; i = (i + 1) & (NAME_SLOTS - 1))
		if (names.hash[i] == h) {
			*id = names.string[i];
			return true;
		}
	if (names.used[level] == most[level] || (k != NULL && level != KIND &&
	    k->used[level] == most[level] / RANGE_OF_KIND))
		return false;
	/* Without room in the queue the string is sent with its next use. */
	if ((*id = emit_string(text)) == 0)
		return true;
	names.hash[i] = h;
	names.string[i] = *id;
	names.used[level]++;
	if (k != NULL)
		k->used[level]++;
	return true;
}

/* Turns "step 1234" into "step #": names that differ in numbers become one. */
static void
fold(char *text)
{
	char *to = text;

	while (*text != '\0') {
		if (!isdigit((unsigned char)*text)) {
			*to++ = *text++;
			continue;
		}
		while (isdigit((unsigned char)*text))
			text++;
		*to++ = '#';
	}
	*to = '\0';
}

uint32_t
range_name(const char *name)
{
	char text[RANGE_NAME + 1];
	struct kind *k;
	uint32_t id = 0;

	if (name == NULL || *name == '\0')
		return 0;
	snprintf(text, sizeof(text), "%s", name);
	k = kind_of(text);
	if (string_of(text, WHOLE, k, &id))
		return id;
	fold(text);
	if (string_of(text, FOLDED, k, &id))
		return id;
	text[kind_length(text)] = '\0';
	if (!string_of(text, KIND, k, &id))
		emit_lost(LOSS_TABLE, 1);
	return id;
}
