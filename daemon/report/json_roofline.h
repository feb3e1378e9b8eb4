/*
 * report/json_roofline.h: what kernels and copies reached of the GPU's
 * ceilings: Roofline, Bandwidth and Ceilings of config/openapi.json, parts of
 * other nouns. New references, or NULL without memory.
 */
#ifndef CADV_JSON_ROOFLINE_H
#define CADV_JSON_ROOFLINE_H

#include <jansson.h>

struct ceilings;
struct kernel;
struct roofline;

json_t *json_roofline(const struct kernel *k, const struct roofline *r);
json_t *json_bandwidth(const struct roofline *r, const struct ceilings *c);
json_t *json_ceilings(const struct ceilings *c);

#endif
