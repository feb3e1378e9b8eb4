/* Runs of correctness tools, with their reports. */
#include "rules/faults.h"

#define S 1000000000ull

/* All four tools ran to the program's end, and found nothing. */
FAULT(checked)
{
	m->run.devices = 0;
	for (int t = TOOL_MEMCHECK; t < TOOL_COUNT; t++)
		m->check[m->run.checks++] = (struct tool_run){
		    .tool = (enum wire_tool)t, .state = RAN_DONE,
		    .end_ns = S, .version = "2025.3.1", .text = "" };
}

/* A defect without a place. */
struct defect *
fault_defect(struct made *m, enum wire_tool tool, enum wire_defect kind)
{
	struct defect *d = &m->defect[m->run.defects++];

	*d = (struct defect){ .tool = tool, .kind = kind,
	    .severity = SEVERITY_ERROR, .reports = 1, .count = 1,
	    .text = "Something odd", .function = "", .file = "",
	    .kernel = "", .kernel_file = "", .partner_file = "", .site = "",
	    .site_file = "", .site_object = "",
	    .example = { { .detail = "" } }, .examples = 1 };
	return d;
}

FAULT(out_of_bounds)
{
	struct defect *d;

	fault_checked(m);
	d = fault_defect(m, TOOL_MEMCHECK, DEFECT_BOUNDS);
	d->reports = d->count = 32;
	d->bytes = 4;
	d->text = "Invalid __global__ read of size 4 bytes";
	d->function = "float rows::load<int>(const float *, int)";
	d->file = "/src/load.cuh";
	d->line = 12;
	d->kernel = "void rows::shift<int>(float *)";
	d->kernel_file = "/src/rows.cu";
	d->kernel_line = 41;
	d->site = "shift_all(float *)";
	d->site_file = "/src/rows.cu";
	d->site_line = 88;
	d->example[0] = (struct defect_example){ .flags = DEFECT_THREAD |
	    DEFECT_ADDRESS, .thread = { 255, 0, 0 }, .block = { 7, 1, 0 },
	    .address = 0x7f00, .bytes = 4,
	    .detail = "Access at 0x7f00 is out of bounds" };
}

/* Nothing was found, but the program did not run to its end. */
FAULT(cut_short)
{
	fault_checked(m);
	m->check[1].state = RAN_TIMEOUT;
}
