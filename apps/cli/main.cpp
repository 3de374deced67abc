// The arete command: one subcommand a stage of the flow.
#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "arguments.h"

namespace {

// A file opened later must not take the number of a standard stream that is closed: results would go into it.
void hold_standard_streams() {
  for (const int stream : {0, 1, 2}) {
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) < 0) {
      return;  // no /dev/null: the numbers stay free
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace arete;
  hold_standard_streams();
  try {
    const int code = cli::run_command_line(argc, argv);
    if (code == cli::kDone && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
      return cli::fail(io_error(fmt::format("stdout: cannot be written: {}", std::strerror(errno))).error);
    }
    return code;
  } catch (const std::bad_alloc&) {
    return cli::fail(io_error("out of memory").error);
  } catch (const std::exception& exception) {
    return cli::fail(io_error(exception.what()).error);
  }
}
