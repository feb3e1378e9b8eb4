/*
 * service/session_state.c: the streams of a live run, and the run's release. See
 * internal.h.
 */
#include <stdlib.h>

#include "capture/capture_merge.h"
#include "capture/symbol.h"
#include "model/model.h"
#include "service/internal.h"

/* Most processes of one run: the model uses the first 1,024, the capture keeps all. */
#define STREAMS 65536u

struct live_stream *
session_stream(struct session *se, uint64_t id)
{
	struct live_stream *st;

	HASH_FIND(hh, se->streams, &id, sizeof(id), st);
	if (st != NULL)
		return st;
	if (HASH_COUNT(se->streams) >= STREAMS ||
	    (st = calloc(1, sizeof(*st))) == NULL)
		return NULL;
	st->id = id;
	HASH_ADD(hh, se->streams, id, sizeof(id), st);
	if (st->hh.tbl == NULL) {
		free(st);
		return NULL;
	}
	return st;
}

void
session_free(struct session *se)
{

	if (se == NULL)
		return;
	HASH_FREE(se->streams);
	capture_merger_close(se->merger);
	model_free(se->model);
	capture_index_clear(&se->index);
	definitions_clear(&se->definitions);
	symbols_free(se->symbols);
	free(se);
}
