/* wire/le.h: little-endian loads and stores at any alignment. */
#ifndef CADV_WIRE_LE_H
#define CADV_WIRE_LE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define LE_DEFINE(bits)							\
	static inline uint##bits##_t					\
	le##bits##_get(const uint8_t *p)				\
	{								\
		uint##bits##_t v;					\
									\
		memcpy(&v, p, sizeof(v));				\
		return le##bits##toh(v);				\
	}								\
	static inline void						\
	le##bits##_put(uint8_t *p, uint##bits##_t v)			\
	{								\
									\
		v = htole##bits(v);					\
		memcpy(p, &v, sizeof(v));				\
	}

LE_DEFINE(16)
LE_DEFINE(32)
LE_DEFINE(64)
#undef LE_DEFINE

#endif
