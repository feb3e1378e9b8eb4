/* model/row.h: the rows of a timeline. */
#ifndef CADV_ROW_H
#define CADV_ROW_H

enum timeline_row {
	ROW_KERNEL, ROW_H2D, ROW_D2H, ROW_D2D, ROW_MEMSET, ROW_SYNC, ROW_API,
	/* The gaps between its work, by their cause; of bins only. */
	ROW_IDLE_HOST, ROW_IDLE_SYNC, ROW_IDLE_LAUNCH, ROW_IDLE_CALL,
	ROW_IDLE_MEASURING,
	ROW_COUNT
};
extern const char *const timeline_row_name[ROW_COUNT];	/* "h2d", of the API */

#endif
