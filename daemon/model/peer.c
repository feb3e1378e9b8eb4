/*
 * model/peer.c: copies between GPUs, and peer access.
 *
 * A copy that a GPU makes directly into the memory of another is one record. Without
 * peer access the driver goes through the host, and CUPTI reports a copy to the host on
 * the one device and a copy from the host on the other (or several, for a large copy),
 * all with the correlation id of the one call.
 */
#include <stdlib.h>

#include "model/internal.h"

/* The copies of one call so far: [0] to the host, [1] from the host. */
struct halves {
	uint32_t correlation;
	uint32_t device[2];
	uint64_t bytes[2], ns[2];	/* not counted yet */
	bool seen[2], staged;
};

/* Find or make; NULL if there are too many or no memory. */
static struct peer *
peer_of(struct model *m, uint32_t from, uint32_t to)
{
	struct peer *p;
	uint32_t i;

	for (i = 0; i < m->peers; i++)
		if (m->peer[i].from == from && m->peer[i].to == to)
			return &m->peer[i];
	if (model_grow(&m->peer, &m->peers_cap, m->peers, MAX_PEERS,
	    sizeof(*m->peer)) != 0)
		return NULL;
	p = &m->peer[m->peers++];
	*p = (struct peer){ .from = from, .to = to };
	return p;
}

int
peer_define(struct model *m, struct stream *s, const struct record_PEER *r)
{
	/* Ordinals without a DEVICE record before this one are not known. */
	uint32_t from = idmap_get(&s->device, r->device);
	uint32_t to = idmap_get(&s->device, r->peer);
	struct peer *p;

	if (from == IDMAP_NONE || to == IDMAP_NONE || from == to ||
	    (p = peer_of(m, from, to)) == NULL) {
		s->process.lost[LOSS_TABLE] += from != to;
		return 0;
	}
	p->known = true;
	p->can = p->can || (r->flags & PEER_CAN) != 0;
	p->enabled = p->enabled || (r->flags & PEER_ENABLED) != 0;
	return 0;
}

static void
staged_add(struct model *m, struct halves *h)
{
	struct peer *p = peer_of(m, h->device[0], h->device[1]);

	if (p != NULL) {
		p->staged += !h->staged;
		p->staged_bytes = add_sat(p->staged_bytes, h->bytes[1]);
		p->down_ns = add_sat(p->down_ns, h->ns[0]);
		p->up_ns = add_sat(p->up_ns, h->ns[1]);
	}
	h->staged = true;
	h->bytes[0] = h->bytes[1] = h->ns[0] = h->ns[1] = 0;
}

/* A copy from or to the host may be half of a copy between GPUs. */
static int
half_copy(struct model *m, struct stream *s, const struct record_COPY *r)
{
	int way = r->kind == COPY_H2D;
	struct halves *h;

	/* One GPU has no peer; the copies of a graph share one call's id. */
	if (m->devices < 2 || r->correlation == 0 || r->graph != 0 ||
	    (r->flags & COPY_GRAPH) != 0)
		return 0;
	if (s->halves == NULL &&
	    (s->halves = calloc(CORRELATED, sizeof(*s->halves))) == NULL)
		return -1;
	h = &s->halves[r->correlation % CORRELATED];
	if (h->correlation != r->correlation)
		*h = (struct halves){ .correlation = r->correlation };
	h->seen[way] = true;
	h->device[way] = define_device_of(m, s, r->device);
	h->bytes[way] = add_sat(h->bytes[way], r->bytes);
	if (model_time(m, r->start_ns, r->end_ns))
		h->ns[way] = add_sat(h->ns[way], r->end_ns - r->start_ns);
	if (h->seen[0] && h->seen[1] && h->device[0] != h->device[1] &&
	    h->device[0] != IDMAP_NONE && h->device[1] != IDMAP_NONE)
		staged_add(m, h);
	return 0;
}

int
peer_copy(struct model *m, struct stream *s, const struct record_COPY *r)
{
	uint32_t from, to;
	struct peer *p;

	if (r->kind == COPY_H2D || r->kind == COPY_D2H)
		return half_copy(m, s, r);
	if (r->kind != COPY_P2P)
		return 0;
	from = define_device_of(m, s, r->src_device);
	to = define_device_of(m, s, r->dst_device);
	if (from == IDMAP_NONE || to == IDMAP_NONE || from == to ||
	    (p = peer_of(m, from, to)) == NULL)
		return 0;
	p->copies++;
	p->bytes = add_sat(p->bytes, r->bytes);
	if (model_time(m, r->start_ns, r->end_ns))
		p->gpu_ns = add_sat(p->gpu_ns, r->end_ns - r->start_ns);
	return 0;
}
