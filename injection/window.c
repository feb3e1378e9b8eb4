#include <stdatomic.h>

#include "window.h"

static _Atomic bool held, deferred, closed;

bool
window_try(void)
{

	return !atomic_exchange(&held, true);
}

void
window_release(void)
{

	atomic_store(&deferred, false);
	atomic_store(&held, false);
}

bool
window_is_held(void)
{

	return atomic_load(&held);
}

void
window_defer(void)
{

	atomic_store(&deferred, true);
}

bool
window_resume(void)
{

	return atomic_exchange(&deferred, false);
}

bool
window_is_deferred(void)
{

	return atomic_load(&deferred);
}

bool
window_shut(void)
{

	return !atomic_exchange(&closed, true);
}

bool
window_is_shut(void)
{

	return atomic_load(&closed);
}
