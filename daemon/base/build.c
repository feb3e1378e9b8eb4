#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/build.h"

void
build_of(const char *path, char out[BUILD_SIZE])
{
	const uint8_t *id;
	const void *found = NULL;
	ssize_t n, i;
	Elf *elf;
	int fd;

	out[0] = '\0';
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return;
	elf_version(EV_CURRENT);
	if ((elf = elf_begin(fd, ELF_C_READ, NULL)) != NULL) {
		n = dwelf_elf_gnu_build_id(elf, &found);
		id = found;
		for (i = 0; i < n && i < BUILD_SIZE / 2; i++)
			snprintf(out + 2 * i, 3, "%02x", id[i]);
		elf_end(elf);
	}
	close(fd);
}
