/* fuzz_config.c: the configuration file. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config/config.h"
#include "base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config c;
	struct error e = { 0 };
	char path[64];
	int fd = memfd_create("config", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		config_init(&c);
		(void)config_load(&c, path, true, &e);
		config_clear(&c);
	}
	close(fd);
	return 0;
}
