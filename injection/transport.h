/*
 * transport.h: sends frames to the daemon's socket, or to the spool file when
 * there is no daemon, it is slow, or the connection is lost. Never blocks.
 * Sender thread only.
 */
#ifndef CADV_TRANSPORT_H
#define CADV_TRANSPORT_H

#include <stdbool.h>

struct emit_frame;

/* transport_begin(): open sockets and files before the sender thread runs,
 * while the program waits: where there is no aside.h thread their descriptors
 * are shared with the program, which may open its own files at any later
 * time. */
void transport_begin(void);

/* transport_add(f): take ownership of the list of frames ${f}. */
void transport_add(struct emit_frame *f);

/*
 * transport_pump(): connect if it is time to, send what the socket takes, read
 * acknowledgements, spool what exceeds the memory limit.
 */
void transport_pump(void);

/*
 * transport_finish(wait_ms): send everything and wait for the acknowledgements;
 * what is not acknowledged in time goes into the spool file.
 */
void transport_finish(int wait_ms);

/* transport_waits(): is there data that the socket did not take? */
bool transport_waits(void);

/* transport_wait(ms): wait until the daemon reads or answers, at most ${ms}. */
void transport_wait(int ms);

/* transport_fork_child(): close the inherited descriptors, send nothing. */
void transport_fork_child(void);

#endif
