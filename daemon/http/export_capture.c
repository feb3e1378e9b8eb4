#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "service/service.h"

#include "http/api.h"

void
export_capture(struct request *rq, struct response *rs,
    const struct store_run *run)
{
	struct error e = ERROR_INIT;
	struct stat st;
	int fd = service_capture(rq->service, run->number, &e);

	if (fd < 0 || fstat(fd, &st) != 0) {
		if (fd >= 0)
			close(fd);
		respond_problem(rs, PROBLEM_NO_RUN, NULL, "%s", e.set ? e.text :
		    "the capture of this run is gone");
		return;
	}
	rs->status = 200;
	rs->fd = fd;
	rs->length = (size_t)st.st_size;
}
