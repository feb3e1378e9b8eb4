/*
 * base/build.h: which build a program is of, by the linker's build id: the contents
 * of its file, not the version that somebody wrote into it.
 */
#ifndef CADV_BUILD_H
#define CADV_BUILD_H

#define BUILD_SIZE 129		/* hexadecimal digits of 64 bytes */

/* build_of(path, out): the build id of the program in file ${path}; "" if there is
 * none, or no such file. */
void build_of(const char *path, char out[BUILD_SIZE]);

#endif
