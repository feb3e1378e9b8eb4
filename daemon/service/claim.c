/* Exclusive use of a run: by a live session, or by one job at a time. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "service/internal.h"

static int
take_locked(struct service *s, const char *uuid, bool live)
{
	struct run_claim *c;

	HASH_FIND_STR(s->claims, uuid, c);
	if (c != NULL || (c = calloc(1, sizeof(*c))) == NULL)
		return -1;
	text_copy(c->uuid, sizeof(c->uuid), uuid);
	c->live = live;
	HASH_ADD_STR(s->claims, uuid, c);
	if (c->hh.tbl == NULL) {
		free(c);
		return -1;
	}
	return 0;
}

int
claim_take(struct service *s, const char *uuid, bool live)
{
	int rc;

	pthread_mutex_lock(&s->claims_lock);
	rc = take_locked(s, uuid, live);
	pthread_mutex_unlock(&s->claims_lock);
	return rc;
}

int
claim_wait(struct service *s, const char *uuid)
{
	struct run_claim *c;
	int rc = -1;

	pthread_mutex_lock(&s->claims_lock);
	for (;;) {
		HASH_FIND_STR(s->claims, uuid, c);
		if (c == NULL) {
			rc = take_locked(s, uuid, false);
			break;
		}
		if (c->live)
			break;
		pthread_cond_wait(&s->claims_free, &s->claims_lock);
	}
	pthread_mutex_unlock(&s->claims_lock);
	return rc;
}

void
claim_drop(struct service *s, const char *uuid)
{
	struct run_claim *c;

	pthread_mutex_lock(&s->claims_lock);
	HASH_FIND_STR(s->claims, uuid, c);
	if (c != NULL) {
		HASH_DEL(s->claims, c);
		free(c);
	}
	pthread_cond_broadcast(&s->claims_free);
	pthread_mutex_unlock(&s->claims_lock);
}

/* Whether a session (${live}), or else a job, has the run. */
static bool
is_claimed(struct service *s, const char *uuid, bool live)
{
	struct run_claim *c;
	bool is;

	pthread_mutex_lock(&s->claims_lock);
	HASH_FIND_STR(s->claims, uuid, c);
	is = c != NULL && c->live == live;
	pthread_mutex_unlock(&s->claims_lock);
	return is;
}

bool
claim_is_live(struct service *s, const char *uuid)
{

	return is_claimed(s, uuid, true);
}

bool
claim_is_over(struct service *s, const char *uuid)
{

	return is_claimed(s, uuid, false);
}

void
claim_over(struct service *s, const char *uuid)
{
	struct run_claim *c;

	pthread_mutex_lock(&s->claims_lock);
	HASH_FIND_STR(s->claims, uuid, c);
	if (c != NULL)
		c->live = false;
	pthread_mutex_unlock(&s->claims_lock);
}
