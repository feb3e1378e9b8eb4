/*
 * capture/enrich.h: adds the disassembly of its kernels to a run that has
 * ended, so that the capture can be analysed later where there is no
 * disassembler.
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
 * (model_wants_disassembly), longest GPU time first, and feed the text into
 * ${m}, before the final settle. The records are also appended to the capture
 * by ${w}, in a stream of their own, and added to ${x}; both may be NULL.
 * Functions that do not fit into ENRICH_NS are left out; then, and where there
 * is no disassembler, the model gets a DIAGNOSTIC. -1 with ${e} only without
 * memory or if the capture cannot be written.
 */
int enrich_model(struct model *m, struct capture_writer *w,
    struct capture_index *x, struct error *e);

#endif
