/*
 * report/document.h: the table of a run's documents (report/document.def), and
 * how one of them is written.
 */
#ifndef CADV_DOCUMENT_H
#define CADV_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct analysis;
struct functions;
struct kernel;

/* What there is one document for. */
enum document_of {
	DOCUMENT_OF_RUN, DOCUMENT_OF_KERNEL, DOCUMENT_OF_FINDING,
	DOCUMENT_OF_FILE, DOCUMENT_OFS
};

enum document_shape { DOCUMENT_SHAPE_OBJECT, DOCUMENT_SHAPE_LIST };

enum document_when { DOCUMENT_WHEN_ALWAYS, DOCUMENT_WHEN_FINAL };

/* What a document is about; borrowed. */
struct subject {
	const struct analysis *analysis;	/* report/analyse.h */
	const struct functions *functions;	/* of the run; for kernels */
	const struct kernel *kernel;		/* of DOCUMENT_OF_KERNEL */
	size_t finding;				/* index in the advice */
};

struct document_kind {
	const char *key, *noun;		/* in an export; in the store */
	enum document_of of;
	enum document_shape shape;
	enum document_when when;
	/* New reference, or NULL without memory. NULL: analyse.c writes it. */
	json_t *(*write)(const struct subject *x);
	const char *path;		/* URL path below the run's; NULL: none */
};

enum document_id {
#define STORED(id, noun, of, shape, when, takes) DOCUMENT_##id,
#define DOCUMENT(id, noun, of, shape, when, takes, path, operation, summary) \
	DOCUMENT_##id,
#include "report/document.def"
	DOCUMENTS
};
extern const struct document_kind document_kind[DOCUMENTS];

/* document_find(noun): its row, or NULL. */
const struct document_kind *document_find(const char *noun);

#define TAKES_RUN(id)
#define TAKES_ADVICE(id)
#define TAKES_BOUNDED(id)
#define TAKES_SUBJECT(id) json_t *document_##id(const struct subject *x);
#define STORED(id, noun, of, shape, when, takes) TAKES_##takes(id)
#define DOCUMENT(id, noun, of, shape, when, takes, path, operation, summary) \
	TAKES_##takes(id)
#include "report/document.def"
#undef TAKES_RUN
#undef TAKES_ADVICE
#undef TAKES_BOUNDED
#undef TAKES_SUBJECT

#endif
