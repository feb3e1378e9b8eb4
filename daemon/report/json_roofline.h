/*
 * report/json_roofline.h: what kernels and copies reached of what the GPU can
 * do. Parts of other nouns; new references, or NULL without memory.
 *
 * roofline   of a kernel: { flops: { fp16, fp32, fp64, tensor }|null (of a
 *              launch), no_flops (reason|null), flops_per_s|null,
 *              dram_flop_per_byte|null, l2_flop_per_byte|null, compute
 *              ("FP32" …: the pipe nearest to its ceiling)|null,
 *              compute_ceiling_flops_per_s|null (of this mix), compute_ratio
 *              (of it)|null, pipes: { issue_ratio, alu_ratio, fma_ratio,
 *              fp64_ratio, xu_ratio, lsu_ratio, tensor_ratio } (busy, each
 *              |null), bound|null }
 * bandwidth  of a kernel: { used_bytes, l2_bytes, dram_bytes (of a launch),
 *              used_bytes_per_s, l2_bytes_per_s, dram_bytes_per_s (each
 *              |null), used_ratio, dram_ratio (of the DRAM ceiling), l2_ratio
 *              (of L2's), reason|null }
 * ceilings   of a device: { from: text, items: [ { name, label, value, unit,
 *              source ("measured", "model": on others like it,
 *              "attribute") } ] }
 */
#ifndef CADV_JSON_ROOFLINE_H
#define CADV_JSON_ROOFLINE_H

#include <jansson.h>

struct ceilings;
struct kernel;
struct roofline;

json_t *json_roofline(const struct kernel *k, const struct roofline *r);
json_t *json_bandwidth(const struct kernel *k, const struct roofline *r,
    const struct ceilings *c);
json_t *json_ceilings(const struct ceilings *c);

#endif
