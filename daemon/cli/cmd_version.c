#include "wire/frame.h"
#include "wire/record.h"

#include "cli/command.h"

int
cmd_version(struct cli *cli, int argc, char **argv)
{

	(void)argc;
	(void)argv;
	out_format(&cli->out, "cudadvise %s (captures %u, wire protocol %u)\n",
	    CUDADVISE_VERSION, FRAME_VERSION, WIRE_PROTOCOL);
	return 0;
}
