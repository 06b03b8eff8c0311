/* A plugin that exports more than its entry. */
#include "hello.c"

QUARRY_EXPORT extern int another_symbol;
int another_symbol = 1;
