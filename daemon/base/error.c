#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static enum error_code
code_of(int number)
{

	switch (number) {
	case ENOENT:
	case ENOTDIR:
		return ERROR_NOT_FOUND;
	case EACCES:
	case EPERM:
	case EROFS:
		return ERROR_PERMISSION;
	case ENOSPC:
	case EDQUOT:
		return ERROR_NO_SPACE;
	case ENOMEM:
		return ERROR_MEMORY;
	default:
		return ERROR_OTHER;
	}
}

__attribute__((format(printf, 3, 0)))
static void
set(struct error *e, enum error_code code, const char *fmt, va_list ap)
{
	int saved = errno;
	size_t n;

	if (e == NULL || e->set)
		return;
	e->set = 1;
	e->code = code;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	n = strlen(e->text);
	if (n > 0 && e->text[n - 1] == ':' && n < sizeof(e->text)) {
		snprintf(e->text + n, sizeof(e->text) - n, " %s",
		    strerror(saved));
		if (code == ERROR_OTHER)
			e->code = code_of(saved);
	}
	errno = saved;
}

int
error_set(struct error *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(e, ERROR_OTHER, fmt, ap);
	va_end(ap);
	return -1;
}

int
error_code(struct error *e, enum error_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(e, code, fmt, ap);
	va_end(ap);
	return -1;
}

int
error_memory(struct error *e)
{

	return error_code(e, ERROR_MEMORY, "out of memory");
}

int
error_remedy(struct error *e, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL || e->remedy[0] != '\0')
		return -1;
	va_start(ap, fmt);
	vsnprintf(e->remedy, sizeof(e->remedy), fmt, ap);
	va_end(ap);
	return -1;
}
