#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

int
error_set(struct error *e, const char *fmt, ...)
{
	int saved = errno;
	size_t n;
	va_list ap;

	if (e == NULL || e->set)
		return (-1);
	e->set = 1;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	if (n > 0 && e->text[n - 1] == ':' && n < sizeof(e->text))
		snprintf(e->text + n, sizeof(e->text) - n, " %s",
		    strerror(saved));
	errno = saved;
	return (-1);
}

int
error_remedy(struct error *e, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL || e->remedy[0] != '\0')
		return (-1);
	va_start(ap, fmt);
	vsnprintf(e->remedy, sizeof(e->remedy), fmt, ap);
	va_end(ap);
	return (-1);
}
