/* site_host.h: the library under test as a program sees it, see site_host.c. */
#ifndef SITE_HOST_H
#define SITE_HOST_H

#include <stddef.h>
#include <stdint.h>

struct signature;

void host_begin(int level);
struct signature *host_signature(uint32_t id);
void host_announce(struct signature *s);
void host_launch(struct signature *s);
void host_call(int call);
void host_back(int call, struct signature *s, uint64_t at);
uint64_t host_next(int call);
uint64_t host_cost(void);
size_t host_parse(char *text, size_t len);
int host_python(char *out, int size);
void host_clock(int64_t ns);
int host_watch(void);
int host_seen(char *out, int size);
void *host_thread(void);
uint64_t host_look(const void *thread, int looks, int texts, int pause_us);
void host_send(int final);
uint8_t *host_take(size_t *len);

#endif
