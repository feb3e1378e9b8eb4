#include <stdio.h>
#include <stdlib.h>

#include "tools/writer.h"

void
die(const char *what)
{
	perror(what);
	exit(1);
}

void
writer_flush(struct writer *w)
{
	struct frame_header h = { 0 };

	if (w->records == 0)
		return;
	h.stored = h.raw = (uint32_t)w->used;
	h.stream = w->stream;
	h.sequence = w->sequence;
	h.records = w->records;
	frame_seal(w->frame, &h);
	if (fwrite(w->frame, 1, FRAME_HEADER_SIZE + w->used, w->file) !=
	    FRAME_HEADER_SIZE + w->used)
		die("write");
	w->sequence += w->records;
	w->records = 0;
	w->used = 0;
}

void
writer_add(struct writer *w, size_t n)
{
	if (n == 0) {
		fprintf(stderr, "a record does not fit\n");
		exit(1);
	}
	w->used += n;
	w->records++;
	if (w->used > (256u << 10))
		writer_flush(w);
}
