/*
 * service/rebuild.c: makes the documents of a run from its capture. See internal.h.
 */
#include <malloc.h>

#include "base/log.h"
#include "base/text.h"
#include "capture/enrich.h"
#include "model/model.h"
#include "service/internal.h"

enum store_status
run_put(struct service *s, int64_t number, const struct documents *docs,
    const struct capture_index *x, uint64_t bytes, struct error *e)
{
	enum store_status st = store_put(s->writer, number, docs, x, bytes, e);

	if (st == STORE_OK)
		events_add(s, "run", number, docs->uuid, docs->state);
	return st;
}

void
run_disassemble(struct model *m, struct capture_writer *w, struct capture_index *x)
{
	struct error e = ERROR_INIT;

	if (enrich_model(m, w, x, &e) != 0)
		log_failure("kernels are not disassembled", &e);
}

static void
disassemble_capture(struct model *m, const char *capture,
    struct capture_index *x, uint64_t *bytes)
{
	struct error e = ERROR_INIT;
	struct capture_writer *w = capture_writer_open(capture, &e);

	if (w == NULL)
		log_failure("the disassembly cannot be stored", &e);
	run_disassemble(m, w, x);
	if (w != NULL)
		*bytes = capture_writer_bytes(w);
	capture_writer_close(w);
}

static enum store_status
rebuild(struct service *s, const char *uuid, int64_t number, char *capture,
    struct error *e)
{
	struct capture_index x = { 0 };
	struct capture_stats stats;
	struct documents *docs = NULL;
	const struct run *run = NULL;
	enum store_status st = STORE_FAILED;
	struct model *m = NULL;

	if ((m = model_new()) == NULL) {
		error_memory(e);
		goto out;
	}
	if (capture_load_own(capture, m, &stats, &x, e) != 0)
		goto out;
	disassemble_capture(m, capture, &x, &stats.bytes);
	docs = analyse(m, true, s->config->thresholds, 0, &run);
	if (docs == NULL) {
		analyse_error(e);
		goto out;
	}
	text_copy(docs->uuid, sizeof(docs->uuid), uuid);
	capture_index_kernels(&x, run);
	run_ranges(docs, capture, &x);
	st = run_put(s, number, docs, &x, stats.bytes, e);
out:
	documents_free(docs);
	capture_index_clear(&x);
	model_free(m);
	return st;
}

enum store_status
run_rebuild(struct service *s, const char *uuid, int64_t number,
    struct error *e)
{
	char dir[PATH_MAX], capture[PATH_MAX];
	enum store_status st = STORE_FAILED;

	pthread_mutex_lock(&s->heavy);
	if (run_directory(s, uuid, dir, capture, e) == 0 &&
	    attempt_begin(dir, e) == 0) {
		st = rebuild(s, uuid, number, capture, e);
		attempt_end(dir);
		if (st == STORE_OK)
			attempt_forget(dir);
	}
	malloc_trim(0);
	pthread_mutex_unlock(&s->heavy);
	return st;
}
