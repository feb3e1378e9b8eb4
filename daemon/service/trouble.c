/* Storage errors of the last runs. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "service/internal.h"

/* The entry of ${uuid}, or NULL. Call with the lock held. */
static struct service_trouble *
find(struct service *s, const char *uuid)
{
	size_t i;

	for (i = 0; i < TROUBLES && uuid[0] != '\0'; i++)
		if (strcmp(s->trouble[i].run, uuid) == 0)
			return &s->trouble[i];
	return NULL;
}

void
trouble_note(struct service *s, const char *uuid, const struct error *e)
{
	struct service_trouble *t;

	pthread_mutex_lock(&s->trouble_lock);
	/* Keep the first error of a run: later ones follow from it. */
	if ((t = find(s, uuid)) == NULL) {
		t = &s->trouble[s->next_trouble];
		s->next_trouble = (s->next_trouble + 1) % TROUBLES;
		text_copy(t->run, sizeof(t->run), uuid);
		text_copy(t->text, sizeof(t->text), e->text);
		text_copy(t->remedy, sizeof(t->remedy), e->remedy);
	}
	s->troubled = t;
	pthread_mutex_unlock(&s->trouble_lock);
}

void
trouble_over(struct service *s, const char *uuid, bool whole)
{
	struct service_trouble *t;

	pthread_mutex_lock(&s->trouble_lock);
	if (whole && (t = find(s, uuid)) != NULL)
		memset(t, 0, sizeof(*t));
	s->troubled = NULL;
	pthread_mutex_unlock(&s->trouble_lock);
}

bool
service_trouble(struct service *s, const char *uuid,
    struct service_trouble *out)
{
	const struct service_trouble *t;

	pthread_mutex_lock(&s->trouble_lock);
	t = uuid != NULL ? find(s, uuid) : s->troubled;
	if (t != NULL)
		*out = *t;
	pthread_mutex_unlock(&s->trouble_lock);
	return t != NULL;
}
