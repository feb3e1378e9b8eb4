#include <string.h>
#include <sys/random.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash.h"

uint64_t hash_seed[3] = { 0x2545f4914f6cdd1d, 0x9e3779b97f4a7c15,
    0xbf58476d1ce4e5b9 };

/* The multipliers are odd, so that hash_u64 maps no two keys to one hash. */
__attribute__((constructor)) static void
sow(void)
{
	struct timespec t;

	if (getrandom(hash_seed, sizeof(hash_seed), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(hash_seed)) {
		clock_gettime(CLOCK_REALTIME, &t);
		hash_seed[0] ^= (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec;
	}
	hash_seed[1] |= 1;
	hash_seed[2] |= 1;
}

uint64_t
hash_bytes(const void *p, size_t len)
{

	return XXH64(p, len, hash_seed[0]);
}

uint64_t
hash_text(const char *text)
{

	return XXH64(text, strlen(text), 0);
}
