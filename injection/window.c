#include <stdatomic.h>
#include <stdint.h>

#include "inject.h"
#include "window.h"

static _Atomic bool held, deferred, closed;
static _Atomic uint32_t holder;		/* the thread; 0: none, or it is deferred */

bool
window_try(void)
{

	if (atomic_exchange(&held, true))
		return false;
	atomic_store(&holder, inject_tid());
	return true;
}

void
window_release(void)
{

	atomic_store(&holder, 0);
	atomic_store(&deferred, false);
	atomic_store(&held, false);
}

bool
window_is_held(void)
{

	return atomic_load(&held);
}

bool
window_is_own(void)
{

	return atomic_load(&holder) == inject_tid();
}

void
window_defer(void)
{

	atomic_store(&holder, 0);
	atomic_store(&deferred, true);
}

bool
window_resume(void)
{

	if (!atomic_exchange(&deferred, false))
		return false;
	atomic_store(&holder, inject_tid());
	return true;
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
