#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "plain.h"

#define NAME_MAX_BYTES 16384	/* longer mangled names are not matched */
#define PLAIN_MAX 1024
#define KERNEL_MAX 1024		/* of the expression, as in daemon/cli/options.c */

static struct {
	bool named;
	regex_t kernel;
	uint64_t first, last;		/* 0: no limit */
} filter;

/* Whether the expression has back-references, which make matching exponential. */
static bool
refers(const char *s)
{

	for (; *s != '\0'; s++) {
		if (*s != '\\')
			continue;
		if (*++s >= '1' && *s <= '9')
			return true;
		if (*s == '\0')
			break;
	}
	return false;
}

/* Reads two numbers of at most 18 digits, in order, with a colon between them. */
static void
read_launches(const char *s)
{
	size_t n = strspn(s, "0123456789"), m;
	uint64_t first, last;

	if (n == 0 || n > 18 || s[n] != ':')
		return;
	m = strspn(s + n + 1, "0123456789");
	if (m == 0 || m > 18 || s[n + 1 + m] != '\0')
		return;
	first = strtoull(s, NULL, 10);
	last = strtoull(s + n + 1, NULL, 10);
	if (first == 0 || last < first)
		return;
	filter.first = first;
	filter.last = last;
}

bool
filter_read(const char *kernel, const char *launches)
{

	if (launches != NULL)
		read_launches(launches);
	if (kernel == NULL || *kernel == '\0')
		return true;
	filter.named = strlen(kernel) <= KERNEL_MAX && !refers(kernel) &&
	    regcomp(&filter.kernel, kernel, REG_EXTENDED | REG_NOSUB) == 0;
	return filter.named;
}

static bool
matches(const char *name)
{

	return regexec(&filter.kernel, name, 0, NULL, 0) == 0;
}

bool
filter_takes(const char *mangled)
{
	char plain[PLAIN_MAX], *last;
	size_t i;

	if (!filter.named || (strnlen(mangled, NAME_MAX_BYTES) <
	    NAME_MAX_BYTES && matches(mangled)))
		return true;
	if (!plain_name(mangled, plain, sizeof(plain)))
		return false;
	last = plain;
	for (i = 0; plain[i] != '\0'; i++)
		if (plain[i] == ':')
			last = plain + i + 1;
	return matches(plain) || matches(last);
}

bool
filter_counts(void)
{

	return filter.last != 0;
}

bool
filter_before(uint64_t n)
{

	return n < filter.first;
}

bool
filter_after(uint64_t n)
{

	return n > filter.last;
}
