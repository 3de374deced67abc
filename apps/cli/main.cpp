// The arete command: one subcommand a stage of the flow.
#include <cstdio>
#include <exception>
#include <new>

#include "arguments.h"

int main(int argc, char** argv) {
  using namespace arete;
  try {
    const int code = cli::run_command_line(argc, argv);
    return std::fflush(stdout) == 0 ? code : cli::fail(io_error("stdout: cannot be written").error);
  } catch (const std::bad_alloc&) {
    return cli::fail(io_error("out of memory").error);
  } catch (const std::exception& exception) {
    return cli::fail(io_error(exception.what()).error);
  }
}
