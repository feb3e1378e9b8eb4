/*
 * capture/enrich.h: adds the disassembly of its kernels to a finished run, so that the
 * capture can be analysed later on a machine without a disassembler.
 */
#ifndef CADV_ENRICH_H
#define CADV_ENRICH_H

struct capture_index;
struct capture_writer;
struct error;
struct model;

#define ENRICH_FUNCTIONS 256u		/* most functions that are disassembled */
#define ENRICH_TEXT (32u << 20)		/* most bytes of text */
#define ENRICH_NS 3000000000ull		/* most time for all functions */

/*
 * enrich_model(m, w, x, e): disassemble the functions that ${m} wants
 * (model_wants_disassembly), longest GPU time first, and feed the text into ${m},
 * before its final settle. With ${w} the records are also appended to the capture, in a
 * stream of their own, and with ${x} to its index; both may be NULL. Functions that are
 * not done within ENRICH_NS are left out; then, and if there is no disassembler, the
 * model gets a DIAGNOSTIC. -1 with ${e} set only without memory or if the capture
 * cannot be written.
 */
int enrich_model(struct model *m, struct capture_writer *w,
    struct capture_index *x, struct error *e);

#endif
