/*
 * base/log.h: the daemon's log. Each message is one line on standard error, which is
 * either the daemon's log file or read by systemd (then with a "<N>" priority instead
 * of a time stamp). Nothing is logged per event of a target. Any thread.
 */
#ifndef CADV_LOG_H
#define CADV_LOG_H

#include <stdbool.h>

struct error;

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG };

/* log_setup(level, journal): drop messages less severe than ${level}; with ${journal},
 * prefix each line with its priority for systemd. */
void log_setup(enum log_level level, bool journal);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* log_failure(what, e): "what: text (remedy)" as an error. */
void log_failure(const char *what, const struct error *e);

#endif
