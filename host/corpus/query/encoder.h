#pragma once

// The interface is needed to build vectors too, a layer below; this is its name for layers above.
#include "corpus/snapshot/encoder.h"
