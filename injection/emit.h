/*
 * emit.h: encodes records into frames. Any thread may emit; the sender thread takes the
 * sealed frames. Memory is bounded: beyond the limit a record is dropped, and counted
 * by class.
 */
#ifndef CADV_EMIT_H
#define CADV_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/record.h"

#define EMIT_FRAME_SIZE (256u << 10)	/* bytes of a frame with its header */
#define EMIT_MAX_BYTES (32u << 20)	/* bytes of full frames that are not yet taken */

/* A sealed frame: header and payload, ready for the socket or a file. */
struct emit_frame {
	struct emit_frame *next;
	uint64_t first, end;	/* sequence numbers [first, end) */
	size_t size;		/* bytes of ${data} in use */
	uint8_t data[];
};

/*
 * EMIT(NAME, r): encode the struct record_NAME at ${r} into the current frame, or into
 * a new one if it does not fit. May drop the record, see above.
 */
#define EMIT(name, r) do {						\
	size_t emit_cap_, emit_n_;					\
	uint8_t *emit_p_;						\
	int emit_tries_ = 0;						\
									\
	do {								\
		if ((emit_p_ = emit_begin(&emit_cap_)) == NULL)		\
			break;						\
		emit_n_ = record_put_##name(emit_p_, emit_cap_, (r));	\
	} while (emit_end(emit_n_) != 0 && emit_tries_++ == 0);		\
} while (0)

/* emit_init(stream): call this first; sequence numbers of ${stream} begin at 0. */
void emit_init(uint64_t stream);

/* The two halves of EMIT. emit_begin locks and returns a pointer to *${cap} free bytes
 * of the current frame; NULL, without the lock, if the record is dropped. emit_end
 * tells how many bytes were used, 0 if the record did not fit, and unlocks; it returns
 * 1 if the record has to be encoded again, into a new frame. */
uint8_t *emit_begin(size_t *cap);
int emit_end(size_t used);

/* emit_pressed(): whether so many records wait that less important ones should be left
 * out. */
bool emit_pressed(void);

/* emit_lost(class, n): count ${n} lost records. emit_losses(now_ns): send the counts as
 * LOSS records. */
void emit_lost(enum wire_loss class, uint64_t n);
void emit_losses(uint64_t now_ns);

/* emit_string(text): the id of an interned string; sends STRING the first time. 0: the
 * empty string, or the string is lost. Only the sender thread may call this. */
uint32_t emit_string(const char *text);

/* emit_take(seal): all full frames, sealed, oldest first, or NULL; with ${seal} the
 * current frame, too. The caller owns them and frees each with emit_release. */
struct emit_frame *emit_take(int seal);
void emit_release(struct emit_frame *f);

/* emit_count(), emit_lost_total(): the number of records emitted, and lost, so far. */
uint64_t emit_count(void);
uint64_t emit_lost_total(void);

/* emit_fork_child(): in a forked child: send nothing of the parent's. */
void emit_fork_child(void);

#endif
