/*
 * report/dashboard.h: the dashboard's files (web/dist), compiled in: the server
 * serves them, and format_html.c embeds them.
 */
#ifndef CADV_DASHBOARD_H
#define CADV_DASHBOARD_H

#include <stddef.h>

extern const char dashboard_js[], dashboard_js_end[];
extern const char dashboard_css[], dashboard_css_end[];
extern const char dashboard_head[], dashboard_head_end[];	/* up to the style */

static inline size_t
dashboard_length(const char *begin, const char *end)
{

	return (size_t)(end - begin);
}

#endif
