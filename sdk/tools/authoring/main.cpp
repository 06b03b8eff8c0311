// quarry-author: the verbs of "quarry plugins" for authors, which the host starts with its own
// words.

#include "authoring/verbs.h"
#include "cli/run.h"
#include "cli/verbs.h"

#include <vector>

namespace {

using namespace quarry;

std::vector<cli::Verb> author_verbs(cli::CommonOptions& common,
                                    const std::vector<cli::OfferedType>& /*types*/) {
  return with_common_options(
      common, {plugins_verb(common), plugins_new_verb(common, authoring::write_project),
               plugins_run_verb(common, authoring::run_function),
               plugins_index_verb(common, authoring::print_index), plugins_probe_verb(common)});
}

}  // namespace

int main(int count, char** arguments) {
  return cli::run(count, arguments, author_verbs);
}
