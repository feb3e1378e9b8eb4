/*
 * rules/evidence/oncpu.h: a line of a model's that makes a tensor on the CPU and copies it to
 * the GPU, as torch.zeros(n).cuda() does: while the GPU waits, looks find the program at that
 * line and in nothing that it calls in Python. A copy alone takes no such time. Pure.
 */
#ifndef CADV_ONCPU_H
#define CADV_ONCPU_H

#include "rules/evidence/looks.h"

struct oncpu {
	const struct site *site;	/* its copies, the site with most of them; NULL: there is
					 * no such line */
	double copies;		/* that it makes, as far as their stack was taken */
	double s;		/* the GPU idle while the host is at that line */
	double away_s;		/* of it, what site.idle_ns has in front of its copies */
};

/* oncpu_of(run, of, idle): the line with most of the ${idle} seconds in which the looks ${of}
 * were taken, of those that copy within a model's forward. */
struct oncpu oncpu_of(const struct run *run, struct looks_of of, double idle);

#endif
