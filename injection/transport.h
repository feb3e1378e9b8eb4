/*
 * transport.h: frames to the daemon's socket, or to the spool file when there
 * is no daemon, it is slow, or it went away. Never blocks. Sender thread only.
 */
#ifndef CADV_TRANSPORT_H
#define CADV_TRANSPORT_H

#include <stdbool.h>

struct emit_frame;

/* transport_begin(): open what will be needed, while the program waits: where
 * descriptors are its own, too (aside.h), it opens nothing at that moment. Before
 * the sender thread runs. */
void transport_begin(void);

/* transport_add(f): take over the list of frames ${f}. */
void transport_add(struct emit_frame *f);

/*
 * transport_pump(): connect if it is time to, send what the socket
 * takes, read acknowledgements, spool what memory should not hold.
 */
void transport_pump(void);

/*
 * transport_finish(wait_ms): send everything and wait for its acknowledgement;
 * what is not acknowledged in time goes into the spool file.
 */
void transport_finish(int wait_ms);

/* transport_waits(): is there more to send than the socket took? */
bool transport_waits(void);

/* transport_wait(ms): until the daemon takes more or answers, at most so long. */
void transport_wait(int ms);

/* transport_fork_child(): close what was inherited without a word. */
void transport_fork_child(void);

#endif
