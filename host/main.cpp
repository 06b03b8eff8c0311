#include "cli/run.h"

int main(int argc, char** argv) {
  return quarry::cli::run(argc, argv);
}
