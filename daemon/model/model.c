#include <stdlib.h>

#include "model/model.h"

struct model {
	struct run run;
};

struct model *
model_new(void)
{

	return (calloc(1, sizeof(struct model)));
}

void
model_free(struct model *m)
{

	free(m);
}

int
model_feed(struct model *m, uint64_t stream, uint64_t sequence,
    const struct record *r)
{

	(void)stream;
	(void)sequence;
	(void)r;
	m->run.records++;
	return (0);
}

const struct run *
model_settle(struct model *m, bool final)
{

	m->run.state = final ? RUN_FINISHED : RUN_LIVE;
	return (&m->run);
}
