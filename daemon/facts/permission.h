/*
 * facts/permission.h: the permission to read GPU counters, which drivers give to
 * administrators only unless configured otherwise: what it adds, and how to get it.
 * Reports and doctor print the same text. https://developer.nvidia.com/ERR_NVGPUCTRPERM
 */
#ifndef CADV_FACTS_PERMISSION_H
#define CADV_FACTS_PERMISSION_H

#define PERMISSION_ADDS							\
	"permission adds what limits each kernel; without it findings rest "	\
	"on launches and code alone, and their gains are wide guesses"
#define PERMISSION_HOW							\
	"put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into "	\
	"/etc/modprobe.d/nvidia-profiling.conf and reboot; in a container, "	\
	"start it with --cap-add SYS_ADMIN; or run as root"

#endif
