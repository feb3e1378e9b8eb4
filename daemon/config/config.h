/*
 * config/config.h: the configuration file (config/cudadvised.conf lists every key with
 * its default and meaning). An unknown key or a value out of range is an error that
 * names file and line; then no value of the file is used.
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
	int tcp_port;			/* 0: no TCP until `cudadvise dashboard` asks */
	int dashboard_port;		/* 0: any free port */
	uint64_t max_upload_bytes;
	/* [ingest] */
	uint32_t max_connections;
	uint32_t max_runs;		/* measured at the same time */
	uint32_t live_interval_ms;
	uint32_t spool_grace_ms;
	/* [retention]: the oldest unpinned runs are deleted first; 0: no limit */
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
 * config_load(c, path, required, e): set ${c} to the defaults, then read the file at
 * ${path}; a missing file is an error only if ${required}. Returns 0; -1 with ${c} at
 * its defaults and ${e} (may be NULL) naming file, line and what is wrong.
 */
int config_load(struct config *c, const char *path, bool required,
    struct error *e);

/* config_clear(c): free what ${c} owns and set every key to its default. */
void config_clear(struct config *c);

#endif
