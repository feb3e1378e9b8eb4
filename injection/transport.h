/*
 * transport.h: sends frames to the daemon's socket; or writes them into the spool file
 * if there is no daemon, the daemon is slow, or the connection is lost. Never blocks.
 * Sender thread only.
 */
#ifndef CADV_TRANSPORT_H
#define CADV_TRANSPORT_H

#include <stdbool.h>

struct emit_frame;

/* transport_begin(): open sockets and files, before the sender thread runs and while
 * the program waits. If there is no aside.h thread, the descriptors are shared with the
 * program, which may open its own files at any later time. */
void transport_begin(void);

/* transport_add(f): take ownership of the list of frames ${f}. */
void transport_add(struct emit_frame *f);

/*
 * transport_pump(): connect if it is time, send what the socket accepts, read
 * acknowledgements, and spool what exceeds the memory limit.
 */
void transport_pump(void);

/*
 * transport_finish(wait_ms): send everything and wait for the acknowledgements; frames
 * that are not acknowledged in time go into the spool file.
 */
void transport_finish(int wait_ms);

/* transport_waits(): whether there is data that the socket did not accept. */
bool transport_waits(void);

/* transport_wait(ms): wait until the daemon reads or answers, at most ${ms}. */
void transport_wait(int ms);

/* transport_fork_child(): in a forked child: close the inherited descriptors, send
 * nothing. */
void transport_fork_child(void);

#endif
