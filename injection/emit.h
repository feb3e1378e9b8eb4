/*
 * emit.h: encodes records into frames. Any thread may emit; the sender thread
 * takes the sealed frames. Memory is bounded: over the limit a record is
 * dropped and counted by class.
 */
#ifndef CADV_EMIT_H
#define CADV_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/record.h"

#define EMIT_FRAME_SIZE (256u << 10)	/* bytes of a frame with its header */
#define EMIT_MAX_BYTES (32u << 20)	/* of full frames not yet taken */

/* A sealed frame: header and payload, ready for the socket or a file. */
struct emit_frame {
	struct emit_frame *next;
	uint64_t first, end;	/* sequence numbers [first, end) */
	size_t size;		/* bytes in use of data */
	uint8_t data[];
};

/*
 * EMIT(NAME, r): encode the struct record_NAME at ${r} into the current frame.
 * A record that does not fit starts a new frame.
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

/* emit_init(stream): start the sequence at 0. */
void emit_init(uint64_t stream);

/* The two halves of EMIT: emit_begin returns room in the current frame and
 * locks; emit_end says how much was used and unlocks. It returns 1 if the
 * record has to be encoded again, into a new frame. */
uint8_t *emit_begin(size_t *cap);
int emit_end(size_t used);

/* emit_pressed(): are there so many records that those which matter less should be
 * left out? */
bool emit_pressed(void);

/* emit_lost(class, n): count records that were lost; emit_losses sends the
 * counts as LOSS records. */
void emit_lost(enum wire_loss class, uint64_t n);
void emit_losses(uint64_t now_ns);

/* emit_string(text): the id of an interned string, sending STRING the first
 * time; 0 is the empty string. Only the sender thread may call it. */
uint32_t emit_string(const char *text);

/* emit_take(seal): all full frames, sealed, oldest first, or NULL; with ${seal}
 * the current one too. The caller owns them and frees with emit_release. */
struct emit_frame *emit_take(int seal);
void emit_release(struct emit_frame *f);

/* emit_count(), emit_lost_total(): records so far. */
uint64_t emit_count(void);
uint64_t emit_lost_total(void);

/* emit_fork_child(): after fork nothing of the parent's may be sent. */
void emit_fork_child(void);

#endif
