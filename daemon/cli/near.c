#include <string.h>

#include "cli/near.h"

#define LONGEST 32		/* letters; longer words are not matched */

static unsigned
least(unsigned a, unsigned b)
{

	return a < b ? a : b;
}

/* Optimal string alignment distance: letters inserted, left out, replaced, or
 * swapped with their neighbour. Both words have at most LONGEST letters. */
static unsigned
distance(const char *a, const char *b)
{
	unsigned row[LONGEST + 1][LONGEST + 1];
	size_t n = strlen(a), m = strlen(b), i, j;

	for (i = 0; i <= n; i++)
		row[i][0] = (unsigned)i;
	for (j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (i = 1; i <= n; i++)
		for (j = 1; j <= m; j++) {
			row[i][j] = least(least(row[i - 1][j],
			    row[i][j - 1]) + 1, row[i - 1][j - 1] +
			    (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[i][j] = least(row[i][j],
				    row[i - 2][j - 2] + 1);
		}
	return row[n][m];
}

const char *
near_word(const char *typed, const char *const *words, size_t n)
{
	size_t length = strlen(typed), i;
	unsigned far = length < 5 ? 2 : 3, d;
	const char *best = NULL;

	if (length < 2 || length > LONGEST)
		return NULL;
	for (i = 0; i < n; i++)
		if (strncmp(words[i], typed, length) == 0)
			return words[i];
	for (i = 0; i < n; i++) {
		if (strlen(words[i]) > LONGEST)
			continue;
		if ((d = distance(typed, words[i])) < far) {
			far = d;
			best = words[i];
		}
	}
	return best;
}
