#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "base/error.h"
#include "base/log.h"

static _Atomic int threshold = LOG_LEVEL_INFO;
static _Atomic int to_journal;

void
log_setup(enum log_level level, bool journal)
{

	atomic_store(&threshold, (int)level);
	atomic_store(&to_journal, journal);
}

static void
emit(enum log_level level, const char *fmt, va_list ap)
{
	static const char *const name[] = { "error", "warning", "info",
		"debug" };
	static const int priority[] = { 3, 4, 6, 7 };
	char line[1200], stamp[40];
	struct timespec now;
	struct tm tm;

	if ((int)level > atomic_load(&threshold))
		return;
	vsnprintf(line, sizeof(line), fmt, ap);
	if (atomic_load(&to_journal)) {
		fprintf(stderr, "<%d>%s\n", priority[level], line);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
	fprintf(stderr, "%s.%03ldZ %s: %s\n", stamp, now.tv_nsec / 1000000,
	    name[level], line);
}

#define LOG_FUNCTION(fn, level)						\
	void								\
	fn(const char *fmt, ...)					\
	{								\
		va_list ap;						\
									\
		va_start(ap, fmt);					\
		emit(level, fmt, ap);					\
		va_end(ap);						\
	}

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warn, LOG_LEVEL_WARN)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)

void
log_failure(const char *what, const struct error *e)
{

	log_error("%s: %s%s%s%s", what, e->set ? e->text : "unknown error",
	    e->remedy[0] != '\0' ? " (" : "", e->remedy,
	    e->remedy[0] != '\0' ? ")" : "");
}
