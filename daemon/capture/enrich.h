/*
 * capture/enrich.h: what the daemon itself can add to a run that has ended:
 * the disassembly of its kernels, so that the capture can be read later where
 * there is no disassembler.
 */
#ifndef CADV_ENRICH_H
#define CADV_ENRICH_H

struct capture_index;
struct capture_writer;
struct error;
struct model;

#define ENRICH_FUNCTIONS 256u		/* disassembled at most */
#define ENRICH_TEXT (32u << 20)		/* bytes of text */
#define ENRICH_NS 3000000000ull		/* time for all of it */

/*
 * enrich_model(m, w, x, e): disassemble the functions that ${m} wants
 * (model_wants_disassembly), those with the most time first, and feed it with
 * the result, before the final settle. What is fed is also appended to the
 * capture by ${w}, in a stream of its own, and noted in ${x}; both may be NULL.
 * What cannot be disassembled in ENRICH_NS is left out; then, and where there is
 * no disassembler, the model gets a DIAGNOSTIC. -1 with ${e} only without memory
 * or if the capture cannot be written.
 */
int enrich_model(struct model *m, struct capture_writer *w,
    struct capture_index *x, struct error *e);

#endif
