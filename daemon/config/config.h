/*
 * config/config.h: the configuration file (config/cudadvised.conf has every key
 * with its default and meaning). A key that is unknown or out of range is an
 * error that names file and line; nothing is ever half applied.
 */
#ifndef CADV_CONFIG_H
#define CADV_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct thresholds;		/* rules/engine/finding.h */

struct config {
	/* [daemon] */
	int log_level;			/* enum log_level */
	/* [http] */
	int tcp_port;			/* 0: no TCP until asked for */
	int dashboard_port;		/* 0: a free one */
	uint64_t max_upload_bytes;
	/* [ingest] */
	uint32_t max_connections;
	uint32_t max_runs;		/* live at the same time */
	uint32_t live_interval_ms;
	uint32_t spool_grace_ms;
	/* [retention]: the oldest unpinned runs go first; 0: no limit */
	uint32_t keep_runs;
	uint32_t keep_days;
	uint64_t keep_bytes;
	/* [run]: defaults of `cudadvise run` */
	double overhead_budget;		/* ratio */
	uint32_t max_stall_ms;
	int level;			/* enum wire_level */
	/* [rules] RULE.KEY = VALUE */
	struct thresholds *thresholds;	/* NULL: none set; owned */
};

/* config_init(c): every key at its default. */
void config_init(struct config *c);

/*
 * config_load(c, path, required, e): defaults, then the file at ${path}; a file
 * that is missing is an error only if ${required}. On -1 ${c} is at its
 * defaults and ${e} says file, line and what is wrong.
 */
int config_load(struct config *c, const char *path, bool required,
    struct error *e);

/* config_clear(c): release what ${c} owns. */
void config_clear(struct config *c);

#endif
