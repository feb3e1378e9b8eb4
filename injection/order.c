#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

#define SHARE_MAX 10		/* highest share: --overhead-budget 1000 */
#define STALL_MS 100		/* default, as in config/cudadvised.conf */
#define STALL_MAX_MS 60000	/* highest --max-stall, as in daemon/cli/options.c */

double
order_share(const char *text, double otherwise)
{
	/* Not the program's locale: it may have set one. */
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	double v = -1;

	if (text != NULL && c != (locale_t)0)
		v = strtod_l(text, NULL, c);
	if (c != (locale_t)0)
		freelocale(c);
	return v >= 0 && v <= SHARE_MAX ? v : otherwise;
}

uint64_t
order_stall(const char *text)
{
	size_t n = text != NULL ? strspn(text, "0123456789") : 0;
	unsigned long ms = 0;

	/* Fewer than 10 digits cannot overflow. */
	if (n > 0 && n < 10 && text[n] == '\0')
		ms = strtoul(text, NULL, 10);
	if (ms == 0 || ms > STALL_MAX_MS)
		ms = STALL_MS;
	return ms * 1000000ull;
}
