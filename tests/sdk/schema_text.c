#include "odd.json.h"

/* Concatenated as a description does it. */
const char kOddText[] = "{\"schema\": " ODD_JSON "}";
const unsigned long kOddSize = sizeof kOddText - 1;
