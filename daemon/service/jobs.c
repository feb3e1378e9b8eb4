/*
 * service/jobs.c: the queue of jobs for the worker. See internal.h.
 */
#include <stdlib.h>

#include "service/internal.h"

void
job_post(struct service *s, struct job job)
{
	struct job *j = malloc(sizeof(*j));

	if (j == NULL) {
		documents_free(job.docs);
		if (job.done != NULL)
			atomic_store(job.done, 0);
		if (job.session != NULL) {
			/* The session's capture is complete: the next daemon finishes
			 * the run. */
			claim_drop(s, job.session->uuid);
			session_free(job.session);
		}
		return;
	}
	*j = job;
	j->next = NULL;
	pthread_mutex_lock(&s->jobs_lock);
	*s->jobs_end = j;
	s->jobs_end = &j->next;
	pthread_cond_signal(&s->jobs_come);
	pthread_mutex_unlock(&s->jobs_lock);
}

struct job *
job_next(struct service *s)
{
	struct job *j;

	pthread_mutex_lock(&s->jobs_lock);
	while (s->jobs == NULL)
		pthread_cond_wait(&s->jobs_come, &s->jobs_lock);
	j = s->jobs;
	if ((s->jobs = j->next) == NULL)
		s->jobs_end = &s->jobs;
	pthread_mutex_unlock(&s->jobs_lock);
	return j;
}
