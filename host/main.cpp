#include "cli/verbs.h"

int main(int argc, char** argv) {
  return quarry::cli::run(argc, argv);
}
