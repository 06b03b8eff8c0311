#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace quarry::pricing_models_dev {

/// The prices of one model at one provider; `rates` in the form of quarry.pricing/1, without the
/// name and date of the catalogue.
struct Entry {
  std::string provider;
  std::string model;
  std::string rates;
};

/// Every priced model of models.dev's api.json, in its order. A model whose price our form cannot
/// express is left out, not guessed: a negative rate (it varies), a tier that is not by context
/// size. Fails when the text is not one complete JSON object of providers, or prices no model.
Outcome<std::vector<Entry>> read_catalogue(std::string_view json);

}  // namespace quarry::pricing_models_dev
