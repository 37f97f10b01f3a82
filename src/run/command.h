/* command.h - how this process was called. */
#ifndef WL_RUN_COMMAND_H
#define WL_RUN_COMMAND_H

/* Its words for a shell, the program without its folder: "warpline run atax". NULL: the system does not say. */
const char *command_line(void);

#endif
