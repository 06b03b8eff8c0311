/* The services a host offers, each looked up by its id with quarry_host.service. A plugin must
 * accept NULL. Every function that takes a call returns soon with QUARRY_CANCELLED or
 * QUARRY_DEADLINE_EXCEEDED when the call is over. */
#ifndef QUARRY_SERVICES_H
#define QUARRY_SERVICES_H

#include <quarry/clock.h>
#include <quarry/http.h>
#include <quarry/log.h>
#include <quarry/metrics.h>
#include <quarry/paths.h>
#include <quarry/process.h>
#include <quarry/secrets.h>
#include <quarry/work.h>

#endif
