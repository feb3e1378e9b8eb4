/*
 * source/confine.h: irrevocably drops the rights that a program which only
 * reads a file and prints does not need. Rights that the kernel is too old to
 * drop stay.
 */
#ifndef CADV_CONFINE_H
#define CADV_CONFINE_H

/*
 * confine(writable): deny creating, removing and writing files (except existing
 * ones below the directory ${writable}, NULL: none, and /dev/null), network and
 * other sockets, signals to and inspection of other processes, and leaving the
 * process group. Between fork and exec: system calls only. PR_SET_NO_NEW_PRIVS
 * has to be set.
 */
void confine(const char *writable);

#endif
