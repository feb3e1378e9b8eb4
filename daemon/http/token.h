/*
 * http/token.h: the secret that opens the API over TCP.
 */
#ifndef CADV_HTTP_TOKEN_H
#define CADV_HTTP_TOKEN_H

#include "http/guard.h"

struct error;

/*
 * token_load(path, token, e): read the token of ${path} into ${token}
 * (TOKEN_TEXT + 1 bytes). A file that is missing, is not ours, can be read by
 * others or holds no token is replaced by a new random one (0600).
 */
int token_load(const char *path, char *token, struct error *e);

#endif
