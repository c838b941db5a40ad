// Runs a compiled kernel on a GPU.
#include "tlx/Launch/RunProgram.h"

#include <iostream>

int main(int argc, char **argv) {
  return tlx::rt::runProgram(std::vector<std::string>(argv + (argc > 0), argv + argc), std::cout, std::cerr);
}
