#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#include "report/tracks.h"

/* Number of tracks: a hostile capture could name any number of streams. Those
 * beyond share one for each process. */
#define TRACKS_MOST 65536u
#define LANES 64u		/* the last one takes what fits on none */
/* Operations are nearly sorted by time: those before the last so many have ended. */
#define RECENT 32u

struct recent_operation {
	uint64_t from, to;
};

struct track {
	struct track_key key;
	UT_hash_handle hh;
	uint32_t number;
	uint32_t used;		/* of recent, ever */
	struct recent_operation recent[RECENT];
};

static struct track *
track_of(struct tracks *t, const struct track_key *key, bool *fresh)
{
	struct track *x;

	HASH_FIND(hh, t->table, key, sizeof(*key), x);
	*fresh = x == NULL;
	if (x != NULL)
		return x;
	if ((x = calloc(1, sizeof(*x))) == NULL) {
		t->failed = true;
		return NULL;
	}
	x->key = *key;
	HASH_ADD(hh, t->table, key, sizeof(x->key), x);
	if (x->hh.tbl == NULL) {
		free(x);
		t->failed = true;
		return NULL;
	}
	x->number = ++t->count;
	return x;
}

uint32_t
tracks_of(struct tracks *t, const struct track_key *key, bool *fresh)
{
	struct track *x = track_of(t, key, fresh);

	return x != NULL ? x->number : 0;
}

static struct track_key
key_of(const struct tracks *t, const struct operation *op)
{
	struct track_key key;

	memset(&key, 0, sizeof(key));
	key.process = op->process;
	if (op->across) {
		key.kind = TRACK_ACROSS;
	} else if (op->host) {
		key.kind = TRACK_THREAD;
		key.thread = op->thread;
	} else {
		key.kind = TRACK_GPU;
		key.device = op->device;
		key.stream = op->stream;
	}
	if (t->count >= TRACKS_MOST)
		key.device = key.stream = key.thread = 0;
	return key;
}

/* Do ${old} and ${op} cross? Nested host operations do not; of two that begin
 * together, viewers take the first one written for the outer one. */
static bool
crosses(const struct recent_operation *old, const struct operation *op)
{

	if (op->from >= old->to || op->to <= old->from)
		return false;
	if (!op->host)
		return true;
	if (op->from >= old->from && op->to <= old->to)
		return false;
	return op->from >= old->from || op->to < old->to;
}

static bool
is_free(const struct track *x, const struct operation *op)
{
	uint32_t n = x->used < RECENT ? x->used : RECENT, i;

	for (i = 0; i < n; i++)
		if (crosses(&x->recent[i], op))
			return false;
	return true;
}

uint32_t
tracks_place(struct tracks *t, const struct operation *op,
    struct track_key *key, bool *fresh)
{
	struct track *x;

	for (*key = key_of(t, op);; key->lane++) {
		HASH_FIND(hh, t->table, key, sizeof(*key), x);
		if (x == NULL || is_free(x, op) || key->lane == LANES - 1)
			break;
	}
	if ((x = track_of(t, key, fresh)) == NULL)
		return 0;
	x->recent[x->used++ % RECENT] = (struct recent_operation){ op->from, op->to };
	return x->number;
}

void
tracks_clear(struct tracks *t)
{

	HASH_FREE(t->table);
	memset(t, 0, sizeof(*t));
}
