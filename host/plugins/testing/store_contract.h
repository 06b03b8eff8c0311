#pragma once

// Tests of the contract of quarry/draft/store.h, for every store. A program that includes this
// instantiates it: INSTANTIATE_TEST_SUITE_P(…, StoreContract, …).

#include "plugins/testing/store_contract_access.h"
#include "plugins/testing/store_contract_fixture.h"
#include "plugins/testing/store_contract_usage.h"
