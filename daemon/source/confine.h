/*
 * source/confine.h: takes from this process, for good, what a program that only
 * reads a file and prints has no use for. What the kernel is too old to take
 * stays.
 */
#ifndef CADV_CONFINE_H
#define CADV_CONFINE_H

/*
 * confine(writable): no file is made, removed or written (but those that are
 * there below the directory ${writable}; NULL: none, and /dev/null), no network
 * and no other socket, no signal to and no look into other processes, none of its
 * children leaves its process group. Between fork and exec: system calls only.
 * PR_SET_NO_NEW_PRIVS has to be set.
 */
void confine(const char *writable);

#endif
