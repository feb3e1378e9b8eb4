#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include "config/config.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "rules/engine/finding.h"
#include "wire/record.h"

enum key_kind { KEY_INT, KEY_U32, KEY_U64, KEY_DOUBLE, KEY_WORD };

/* A key of the file: its member of struct config, its range and its default. */
struct key {
	const char *section, *name;
	enum key_kind kind;
	size_t offset;
	double min, max, fallback;
	const char *const *word;	/* KEY_WORD: names of min, min + 1, … */
};

static const char *const log_words[] = { "error", "warning", "info", "debug",
	NULL };
static const char *const level_words[] = {
#define LEVEL(name, value, word, parts, help) [value - 1] = #word,
#include "wire/level.def"
	NULL
};
#define LEVELS (sizeof(level_words) / sizeof(level_words[0]) - 1)

#define AT(member) offsetof(struct config, member)
#define GIB 1073741824.0
#define MAX_EXACT 9007199254740992.0	/* 2^53 */

static const struct key key_table[] = {
	{ "daemon", "log_level", KEY_WORD, AT(log_level), LOG_LEVEL_ERROR,
	    LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, log_words },
	{ "http", "port", KEY_INT, AT(tcp_port), 0, 65535, 0, NULL },
	{ "http", "dashboard_port", KEY_INT, AT(dashboard_port), 0, 65535, 0,
	    NULL },
	{ "http", "max_upload_bytes", KEY_U64, AT(max_upload_bytes), 1,
	    MAX_EXACT, 4 * GIB, NULL },
	{ "ingest", "max_connections", KEY_U32, AT(max_connections), 1, 4096,
	    256, NULL },
	{ "ingest", "max_runs", KEY_U32, AT(max_runs), 1, 1024, 64, NULL },
	{ "ingest", "live_interval_ms", KEY_U32, AT(live_interval_ms), 100,
	    60000, 1000, NULL },
	{ "ingest", "spool_grace_ms", KEY_U32, AT(spool_grace_ms), 0, 60000,
	    1000, NULL },
	{ "retention", "runs", KEY_U32, AT(keep_runs), 0, 1000000, 200, NULL },
	{ "retention", "days", KEY_U32, AT(keep_days), 0, 36500, 0, NULL },
	{ "retention", "bytes", KEY_U64, AT(keep_bytes), 0, MAX_EXACT,
	    20 * GIB, NULL },
	{ "run", "overhead_budget", KEY_DOUBLE, AT(overhead_budget), 0.001, 1,
	    0.05, NULL },
	{ "run", "max_stall_ms", KEY_U32, AT(max_stall_ms), 1, 60000, 100,
	    NULL },
	{ "run", "level", KEY_WORD, AT(level), 1, LEVELS, LEVEL_DEFAULT,
	    level_words },
};
#define KEYS (sizeof(key_table) / sizeof(key_table[0]))

static void
key_store(struct config *c, const struct key *k, double v)
{
	char *at = (char *)c + k->offset;

	switch (k->kind) {
	case KEY_INT:
	case KEY_WORD:
		*(int *)(void *)at = (int)v;
		break;
	case KEY_U32:
		*(uint32_t *)(void *)at = (uint32_t)v;
		break;
	case KEY_U64:
		*(uint64_t *)(void *)at = (uint64_t)v;
		break;
	case KEY_DOUBLE:
		*(double *)(void *)at = v;
		break;
	}
}

void
config_init(struct config *c)
{
	size_t i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < KEYS; i++)
		key_store(c, &key_table[i], key_table[i].fallback);
}

void
config_clear(struct config *c)
{

	thresholds_free(c->thresholds);
	config_init(c);
}

struct parse {
	struct config *config;
	FILE *file;
	const char *path;
	int line;
	struct error *e;
};

/* inih's reader: like fgets, and counts lines for error messages. A line that does not
 * fit is an error; inih would take it for two lines. */
static char *
read_line(char *out, int size, void *stream)
{
	struct parse *p = stream;
	size_t n;

	if (p->e->set || fgets(out, size, p->file) == NULL)
		return NULL;
	p->line++;
	n = strlen(out);
	if (n + 1 == (size_t)size && out[n - 1] != '\n') {
		error_set(p->e, "%s:%d: the line is too long", p->path,
		    p->line);
		return NULL;
	}
	return out;
}

static int
value_set(struct parse *p, const struct key *k, const char *value)
{
	double v = 0;
	uint64_t u;
	size_t i;

	if (k->kind == KEY_WORD) {
		for (i = 0; k->word[i] != NULL; i++)
			if (strcmp(k->word[i], value) == 0) {
				key_store(p->config, k, k->min + (double)i);
				return 1;
			}
		error_set(p->e, "%s:%d: %s cannot be '%.60s'", p->path,
		    p->line, k->name, value);
		error_remedy(p->e, "one of: %s, %s, %s%s%s", k->word[0],
		    k->word[1], k->word[2], k->word[3] ? ", " : "",
		    k->word[3] ? k->word[3] : "");
		return 0;
	}
	if (k->kind == KEY_DOUBLE) {
		if (text_double(value, k->min, k->max, &v) != 0)
			goto range;
	} else {
		if (text_u64(value, (uint64_t)k->min, (uint64_t)k->max, &u))
			goto range;
		v = (double)u;
	}
	key_store(p->config, k, v);
	return 1;
range:
	error_set(p->e, "%s:%d: %s = '%.60s' is not a number from %.15g to "
	    "%.15g", p->path, p->line, k->name, value, k->min, k->max);
	return 0;
}

static int
threshold_set(struct parse *p, const char *name, const char *value)
{
	double v;

	if (text_double(value, -1e300, 1e300, &v) != 0) {
		error_set(p->e, "%s:%d: %.100s = '%.60s' is not a number",
		    p->path, p->line, name, value);
		return 0;
	}
	if (p->config->thresholds == NULL &&
	    (p->config->thresholds = thresholds_new()) == NULL) {
		error_memory(p->e);
		return 0;
	}
	if (thresholds_set(p->config->thresholds, name, v) != 0) {
		error_set(p->e, "%s:%d: no rule has the threshold '%.100s'",
		    p->path, p->line, name);
		error_remedy(p->e, "`cudadvise explain RULE` lists a rule's "
		    "thresholds; write them as RULE.KEY");
		return 0;
	}
	return 1;
}

static int
handle(void *user, const char *section, const char *name, const char *value)
{
	struct parse *p = user;
	size_t i;

	if (p->e->set)
		return 0;
	if (strcmp(section, "rules") == 0)
		return threshold_set(p, name, value);
	for (i = 0; i < KEYS; i++)
		if (strcmp(key_table[i].section, section) == 0 &&
		    strcmp(key_table[i].name, name) == 0)
			return value_set(p, &key_table[i], value);
	error_set(p->e, "%s:%d: unknown key '%.60s' in section [%.60s]",
	    p->path, p->line, name, section);
	error_remedy(p->e, "the file cudadvised.conf that is installed with "
	    "cudadvise lists every key");
	return 0;
}

int
config_load(struct config *c, const char *path, bool required,
    struct error *e)
{
	struct error own = ERROR_INIT;
	struct parse p = { c, NULL, path, 0, e != NULL ? e : &own };
	int rc;

	config_init(c);
	if ((p.file = fopen(path, "re")) == NULL) {
		if (!required && (errno == ENOENT || errno == ENOTDIR))
			return 0;
		return error_set(p.e, "cannot open '%s':", path);
	}
	rc = ini_parse_stream(read_line, &p, handle, &p);
	if (rc == 0 && ferror(p.file))
		error_set(p.e, "cannot read '%s':", path);
	fclose(p.file);
	if (rc > 0 && !p.e->set) {
		error_set(p.e, "%s:%d: neither a [section] nor KEY = VALUE",
		    path, rc);
	} else if (rc < 0)
		error_memory(p.e);
	if (!p.e->set)
		return 0;
	config_clear(c);
	return -1;
}
