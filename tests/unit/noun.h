/* unit/noun.h: objects compared with what config/openapi.json says of them. */
#ifndef CADV_UNIT_NOUN_H
#define CADV_UNIT_NOUN_H

#include <jansson.h>

/* ${o} has the fields of ${noun} ("Finding"; "Finding.saves", a part without a
 * name of its own) and no others. */
void assert_noun(const json_t *o, const char *noun);

/* The same without the fields of ${but}, in words: another writer adds them. */
void assert_noun_but(const json_t *o, const char *noun, const char *but);

#endif
