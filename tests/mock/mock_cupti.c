/* CUPTI's callbacks and activity records. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mock_internal.h"

#define CALLBACKS 1024
#define RECORD_ALIGN 8u

/* The buffer of one thread, as by CUPTI 13's default. */
struct thread_buffer {
	pthread_mutex_t lock;
	uint8_t *data;
	size_t size, used;
	struct thread_buffer *next;
};

/* A full buffer on its way to the client. */
struct full {
	uint8_t *data;
	size_t size, used;
	struct full *next;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more, idle;
	bool delivering;	/* the worker is delivering it */
	CUpti_CallbackFunc callback;
	void *userdata;
	bool callback_on[CUPTI_CB_DOMAIN_SIZE][CALLBACKS];
	bool kind_on[CUPTI_ACTIVITY_KIND_COUNT];
	bool driver_on[CUPTI_DRIVER_TRACE_CBID_SIZE];
	bool runtime_on[CUPTI_RUNTIME_TRACE_CBID_SIZE];
	CUpti_BuffersCallbackRequestFunc requested;
	CUpti_BuffersCallbackCompleteFunc completed;
	struct thread_buffer *threads;
	struct full *head, **tail;
	size_t dropped, to_drop;
} mock = { .lock = PTHREAD_MUTEX_INITIALIZER,
	.more = PTHREAD_COND_INITIALIZER,
	.idle = PTHREAD_COND_INITIALIZER, .tail = &mock.head };

static __thread struct thread_buffer *own;

/* --- the library ---------------------------------------------------------- */

CUptiResult
cuptiGetVersion(uint32_t *version)
{
	MOCK_ENTER();
	*version = (uint32_t)mock_env("MOCK_CUPTI", CUPTI_API_VERSION);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiGetResultString(CUptiResult result, const char **text)
{
	switch ((int)result) {
	case 0: *text = "CUPTI_SUCCESS"; break;
	case 1: *text = "CUPTI_ERROR_INVALID_PARAMETER"; break;
	case 15: *text = "CUPTI_ERROR_NOT_INITIALIZED"; break;
	case 26: *text = "CUPTI_ERROR_HARDWARE_BUSY"; break;
	case 35: *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"; break;
	case 39: *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
		break;
	default: *text = "CUPTI_ERROR_UNKNOWN"; break;
	}
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiGetTimestamp(uint64_t *timestamp)
{
	MOCK_ENTER();
	*timestamp = mock_now();
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
	MOCK_ENTER();
	return type == CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT ||
	    type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM ? CUPTI_SUCCESS :
	    CUPTI_ERROR_INVALID_PARAMETER;
}

/* --- callbacks --------------------------------------------------------- */

static CUptiResult
subscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
    void *userdata, int refused)
{
	CUptiResult rc;

	pthread_mutex_lock(&mock.lock);
	rc = refused != 0 ? (CUptiResult)refused : mock.callback != NULL ?
	    CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : CUPTI_SUCCESS;
	if (rc == CUPTI_SUCCESS) {
		mock.callback = callback;
		mock.userdata = userdata;
		*subscriber = (CUpti_SubscriberHandle)&mock;
	}
	pthread_mutex_unlock(&mock.lock);
	return rc;
}

bool
mock_subscribed(void)
{
	bool is;

	pthread_mutex_lock(&mock.lock);
	is = mock.callback != NULL;
	pthread_mutex_unlock(&mock.lock);
	return is;
}

CUptiResult
cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
    void *userdata)
{

	return subscribe(subscriber, callback, userdata,
	    mock_refused(__func__));
}

#if CUPTI_API_VERSION >= 130000
CUptiResult
cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber,
    CUpti_CallbackFunc callback, void *userdata, CUpti_SubscriberParams *p)
{
	static const char other[] = "another profiler";
	CUptiResult rc = subscribe(subscriber, callback, userdata,
	    mock_refused(__func__));

	if (rc == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
	    p != NULL && p->oldSubscriberName != NULL &&
	    p->oldSubscriberSize >= sizeof(other))
		memcpy(p->oldSubscriberName, other, sizeof(other));
	return rc;
}
#endif

CUptiResult
cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
    CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
	MOCK_ENTER();
	if ((void *)subscriber != (void *)&mock || cbid >= CALLBACKS ||
	    domain <= CUPTI_CB_DOMAIN_INVALID || domain >= CUPTI_CB_DOMAIN_SIZE)
		return CUPTI_ERROR_INVALID_PARAMETER;
	__atomic_store_n(&mock.callback_on[domain][cbid], enable != 0,
	    __ATOMIC_RELEASE);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle subscriber,
    CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
	MOCK_ENTER();
	if ((void *)subscriber != (void *)&mock || cbid >= CALLBACKS ||
	    domain <= CUPTI_CB_DOMAIN_INVALID || domain >= CUPTI_CB_DOMAIN_SIZE)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*enable = __atomic_load_n(&mock.callback_on[domain][cbid],
	    __ATOMIC_ACQUIRE);
	return CUPTI_SUCCESS;
}

void
mock_callback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
    const void *data)
{
	if (cbid < CALLBACKS && __atomic_load_n(
	    &mock.callback_on[domain][cbid], __ATOMIC_ACQUIRE))
		mock.callback(mock.userdata, domain, cbid, data);
}

/* --- which records ------------------------------------------------------- */

static CUptiResult
set_kind(CUpti_ActivityKind kind, bool on)
{
	size_t i;

	if (kind <= CUPTI_ACTIVITY_KIND_INVALID ||
	    kind >= CUPTI_ACTIVITY_KIND_COUNT)
		return CUPTI_ERROR_INVALID_KIND;
	pthread_mutex_lock(&mock.lock);
	mock.kind_on[kind] = on;
	/* Enabling the kind resets the settings of single calls. */
	if (kind == CUPTI_ACTIVITY_KIND_DRIVER)
		for (i = 0; i < CUPTI_DRIVER_TRACE_CBID_SIZE; i++)
			mock.driver_on[i] = on;
	if (kind == CUPTI_ACTIVITY_KIND_RUNTIME)
		for (i = 0; i < CUPTI_RUNTIME_TRACE_CBID_SIZE; i++)
			mock.runtime_on[i] = on;
	pthread_mutex_unlock(&mock.lock);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityEnable(CUpti_ActivityKind kind)
{
	MOCK_ENTER();
	if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
		mock_unloaded(__func__);	/* it changes the code */
	return set_kind(kind, true);
}

CUptiResult
cuptiActivityDisable(CUpti_ActivityKind kind)
{
	MOCK_ENTER();
	if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
		mock_unloaded(__func__);	/* it changes the code */
	return set_kind(kind, false);
}

CUptiResult
cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable)
{
	MOCK_ENTER();
	if (cbid == 0 || cbid >= CUPTI_DRIVER_TRACE_CBID_SIZE)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&mock.lock);
	mock.driver_on[cbid] = enable != 0;
	pthread_mutex_unlock(&mock.lock);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable)
{
	MOCK_ENTER();
	if (cbid == 0 || cbid >= CUPTI_RUNTIME_TRACE_CBID_SIZE)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&mock.lock);
	mock.runtime_on[cbid] = enable != 0;
	pthread_mutex_unlock(&mock.lock);
	return CUPTI_SUCCESS;
}

bool
mock_kind_on(CUpti_ActivityKind kind)
{
	bool on;

	pthread_mutex_lock(&mock.lock);
	on = mock.kind_on[kind];
	pthread_mutex_unlock(&mock.lock);
	return on;
}

bool
mock_api_on(CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
	bool on;

	pthread_mutex_lock(&mock.lock);
	on = domain == CUPTI_CB_DOMAIN_DRIVER_API ? mock.driver_on[cbid] :
	    mock.runtime_on[cbid];
	pthread_mutex_unlock(&mock.lock);
	return on;
}

CUptiResult
cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t *size,
    void *value)
{
	MOCK_ENTER();
	(void)attribute;
	return size != NULL && value != NULL ? CUPTI_SUCCESS :
	    CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult
cuptiActivityConfigureUnifiedMemoryCounter(
    CUpti_ActivityUnifiedMemoryCounterConfig *config, uint32_t count)
{
	MOCK_ENTER();
	return config != NULL && count > 0 &&
	    count <= mock_env("MOCK_MANAGED", 8) ? CUPTI_SUCCESS :
	    CUPTI_ERROR_INVALID_PARAMETER;
}

/* --- buffers ------------------------------------------------------------ */

static void
deliver(struct full *f)
{
	struct full *next;

	for (; f != NULL; f = next) {
		next = f->next;
		mock.completed(NULL, 0, f->data, f->size, f->used);
		free(f);
	}
}

/* Full buffers are returned on a thread of CUPTI's own. */
static void *
worker(void *cookie)
{
	struct full *f;

	(void)cookie;
	for (;;) {
		pthread_mutex_lock(&mock.lock);
		while (mock.head == NULL)
			pthread_cond_wait(&mock.more, &mock.lock);
		f = mock.head;
		mock.head = NULL;
		mock.tail = &mock.head;
		mock.delivering = true;
		pthread_mutex_unlock(&mock.lock);
		deliver(f);
		pthread_mutex_lock(&mock.lock);
		mock.delivering = false;
		pthread_cond_broadcast(&mock.idle);
		pthread_mutex_unlock(&mock.lock);
	}
	return NULL;
}

CUptiResult
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
    CUpti_BuffersCallbackCompleteFunc completed)
{
	pthread_attr_t a;
	pthread_t t;

	MOCK_ENTER();
	if (requested == NULL || completed == NULL)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&mock.lock);
	if (mock.completed == NULL) {
		pthread_attr_init(&a);
		pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
		if (pthread_create(&t, &a, worker, NULL) != 0)
			abort();
		pthread_attr_destroy(&a);
		mock.to_drop = mock_env("MOCK_DROP", 0);
	}
	mock.requested = requested;
	mock.completed = completed;
	pthread_mutex_unlock(&mock.lock);
	return CUPTI_SUCCESS;
}

static struct full *
take(struct thread_buffer *b)
{
	struct full *f;

	if (b->data == NULL)
		return NULL;
	if ((f = calloc(1, sizeof(*f))) == NULL)
		abort();
	f->data = b->data;
	f->size = b->size;
	f->used = b->used;
	b->data = NULL;
	return f;
}

static void
push(struct full *f)
{
	pthread_mutex_lock(&mock.lock);
	*mock.tail = f;
	mock.tail = &f->next;
	pthread_cond_signal(&mock.more);
	pthread_mutex_unlock(&mock.lock);
}

/* Buffers are not freed when the thread ends: CUPTI also keeps a dead thread's
 * buffer. */
static struct thread_buffer *
own_buffer(void)
{
	if (own != NULL)
		return own;
	if ((own = calloc(1, sizeof(*own))) == NULL)
		abort();
	pthread_mutex_init(&own->lock, NULL);
	pthread_mutex_lock(&mock.lock);
	own->next = mock.threads;
	mock.threads = own;
	pthread_mutex_unlock(&mock.lock);
	return own;
}

/* CUPTI drops, and counts, records for which it has no buffer. */
static bool
must_drop(const void *record)
{
	CUpti_ActivityKind kind = *(const CUpti_ActivityKind *)record;
	bool drop = false;

	pthread_mutex_lock(&mock.lock);
	if (mock.completed == NULL) {
		drop = true;
	} else if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
	    mock.to_drop > 0) {
		mock.to_drop--;
		mock.dropped++;
		drop = true;
	}
	pthread_mutex_unlock(&mock.lock);
	return drop;
}

void
mock_emit(const void *record, size_t size)
{
	struct thread_buffer *b = own_buffer();
	struct full *f = NULL;
	size_t max = 0;

	size = (size + RECORD_ALIGN - 1) & ~(size_t)(RECORD_ALIGN - 1);
	if (must_drop(record))
		return;
	pthread_mutex_lock(&b->lock);
	if (b->data != NULL && b->size - b->used < size)
		f = take(b);
	if (b->data == NULL) {
		b->size = b->used = 0;
		mock.requested(&b->data, &b->size, &max);
	}
	if (b->data != NULL && b->size - b->used >= size) {
		memcpy(b->data + b->used, record, size);
		b->used += size;
	} else {
		pthread_mutex_lock(&mock.lock);
		mock.dropped++;
		pthread_mutex_unlock(&mock.lock);
	}
	pthread_mutex_unlock(&b->lock);
	if (f != NULL)
		push(f);
}

/* A buffer of another client. */
static uint8_t foreign[1 << 16];

/* The thread of CUPTI's own that flushes, whoever asked for it: none of the program's. */
#define CUPTI_THREAD 1

CUptiResult
cuptiActivityFlushAll(uint32_t flag)
{
	struct thread_buffer *b;
	struct full *list, **tail = &list, *f;
	uint64_t ms = mock_env("MOCK_FLUSH_MS", 0);
	CUpti_ActivityOverhead3 o = { .kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
	    .overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH,
	    .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD };
	struct timespec wait = { (time_t)(ms / 1000),
	    (long)(ms % 1000) * 1000000 };

	(void)flag;
	MOCK_ENTER();
	if (ms > 0) {
		o.start = mock_now();
		nanosleep(&wait, NULL);
		o.end = mock_now();
		o.objectId.pt.threadId = CUPTI_THREAD;
		if (mock_kind_on(CUPTI_ACTIVITY_KIND_OVERHEAD))
			mock_emit(&o, sizeof(o));
	}
	pthread_mutex_lock(&mock.lock);
	if (mock.completed == NULL) {
		pthread_mutex_unlock(&mock.lock);
		return CUPTI_ERROR_NOT_INITIALIZED;
	}
	while (mock.delivering)
		pthread_cond_wait(&mock.idle, &mock.lock);
	list = mock.head;
	if (list != NULL)
		tail = mock.tail;
	mock.head = NULL;
	mock.tail = &mock.head;
	b = mock.threads;
	pthread_mutex_unlock(&mock.lock);
	for (; b != NULL; b = b->next) {
		pthread_mutex_lock(&b->lock);
		f = take(b);
		pthread_mutex_unlock(&b->lock);
		if (f != NULL) {
			*tail = f;
			tail = &f->next;
		}
	}
	*tail = NULL;
	deliver(list);
	if (mock_env("MOCK_FOREIGN", 0) > 0)
		mock.completed(NULL, 0, foreign + sizeof(foreign) / 2,
		    sizeof(foreign) / 2, 0);
	return CUPTI_SUCCESS;
}

static size_t
record_size(CUpti_ActivityKind kind)
{
	switch ((int)kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return sizeof(CUpti_ActivityKernel10);
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return sizeof(CUpti_ActivityMemcpy6);
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
		return sizeof(CUpti_ActivityUnifiedMemoryCounter3);
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return sizeof(CUpti_ActivityMemset4);
	case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
		return sizeof(CUpti_ActivitySynchronization2);
	case CUPTI_ACTIVITY_KIND_DRIVER:
	case CUPTI_ACTIVITY_KIND_RUNTIME:
		return sizeof(CUpti_ActivityAPI);
	case CUPTI_ACTIVITY_KIND_DEVICE:
		return sizeof(CUpti_ActivityDevice5);
	case CUPTI_ACTIVITY_KIND_CONTEXT:
		return sizeof(CUpti_ActivityContext3);
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		return sizeof(CUpti_ActivityOverhead3);
	case CUPTI_ACTIVITY_KIND_JIT:
		return sizeof(CUpti_ActivityJit2);
	case CUPTI_ACTIVITY_KIND_MARKER:
		return sizeof(CUpti_ActivityMarker2);
	default:
		return 0;
	}
}

CUptiResult
cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
    CUpti_Activity **record)
{
	uint8_t *p = buffer;
	size_t n;

	MOCK_ENTER();
	if (*record != NULL) {
		p = (uint8_t *)*record;
		if ((n = record_size((*record)->kind)) == 0)
			return CUPTI_ERROR_INVALID_KIND;
		p += (n + RECORD_ALIGN - 1) & ~(size_t)(RECORD_ALIGN - 1);
	}
	if (p >= buffer + valid)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)p;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
    size_t *dropped)
{
	(void)context;
	(void)stream;
	MOCK_ENTER();
	pthread_mutex_lock(&mock.lock);
	*dropped = mock.dropped;
	mock.dropped = 0;
	pthread_mutex_unlock(&mock.lock);
	return CUPTI_SUCCESS;
}
