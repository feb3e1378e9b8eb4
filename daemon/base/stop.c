#include <stdatomic.h>

#include "base/error.h"
#include "base/stop.h"

static atomic_bool asked;

void
stop_ask(bool on)
{

	atomic_store(&asked, on);
}

bool
stop_asked(void)
{

	return atomic_load_explicit(&asked, memory_order_relaxed);
}

int
stop_error(struct error *e)
{

	error_code(e, ERROR_BUSY, "the daemon is ending");
	return error_remedy(e, "try again when it runs again");
}
