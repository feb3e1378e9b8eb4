#include "base/embed.h"

#include "report/dashboard.h"

EMBED(dashboard_js, "dist/app.js");
EMBED(dashboard_css, "dist/app.css");
EMBED(dashboard_head, "dist/share.html");
