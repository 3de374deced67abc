// Messages, numbers and the progress bar.
#include "command.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace arete::cli {

void print(std::FILE* stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size()) {
    return;  // the stream keeps its error
  }
}

int fail(const Error& error) {
  std::string line = error.message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  print(stderr, "arete: " + line + "\n");
  return error.kind == Error::Kind::usage ? kUsage : kFailed;
}

Error naming_store(Error error, const std::string& store) {
  if (error.kind == Error::Kind::data && !error.message.starts_with(store)) {
    error.message = store + ": " + error.message;
  }
  return error;
}

void warn(const Globals& globals, const std::string& message) {
  if (!globals.quiet) {
    print(stderr, "arete: warning: " + message + "\n");
  }
}

void print_json(const Json& document) {
  print(stdout, document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void print_text(const Globals& globals, const std::string& text) {
  if (!globals.quiet) {
    print(stdout, text);
  }
}

std::string with_commas(std::int64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    const std::size_t left = digits.size() - at;
    if (at > 0 && left % 3 == 0 && digits[at - 1] != '-') {
      text += ',';
    }
    text += digits[at];
  }
  return text;
}

std::string file_size(std::int64_t bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  double size = double(bytes);
  int unit = 0;
  while (size >= 1000 && unit < 4) {
    size /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.3g} {}", size, units[unit]);
}

std::string number(double value) { return fmt::format("{}", value); }

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  return text.size() <= kLongest ? std::string(text) : std::string(text.substr(0, kLongest)) + "...";
}

Result<std::vector<double>> parse_numbers(const std::string& text, std::size_t count, const std::string& name) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !std::isfinite(value) || (stop != end && (*stop != ',' || stop + 1 == end))) {
      numbers.clear();
      break;
    }
    numbers.push_back(value);
    at = stop == end ? end : stop + 1;
  }
  if (numbers.size() != count) {
    return usage_error(fmt::format("{}: expected {} number{}{}, found '{}'", name, count, count == 1 ? "" : "s",
                                   count == 1 ? "" : " with commas between them", text));
  }
  return numbers;
}

Result<void> check_output(const std::filesystem::path& output, std::span<const std::string> inputs) {
  if (output.empty()) {
    return usage_error("--output: the name is empty; name a file");
  }
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(output, ignored);
  if (std::filesystem::is_directory(status)) {
    return usage_error(fmt::format("{}: is a folder; name a file", output.string()));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return usage_error(fmt::format("{}: is not an ordinary file; name one that can be replaced", output.string()));
  }
  for (const std::string& input : inputs) {
    if (std::filesystem::equivalent(output, input, ignored)) {
      return usage_error(fmt::format("{}: is both input and output; name another file", output.string()));
    }
  }
  const std::string partial = output.string() + ".partial";
  if (std::filesystem::is_directory(partial, ignored)) {
    return io_error(
        fmt::format("{}: is a folder, and the output is written under this name until it is whole; "
                    "move the folder away",
                    partial));
  }
  const std::filesystem::path folder = output.has_parent_path() ? output.parent_path() : ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return io_error(fmt::format("{}: its folder cannot be written: {}", output.string(), std::strerror(errno)));
  }
  // Not every folder that says it can be written takes every name.
  const int made = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0 && errno != EEXIST && errno != ENOSPC) {
    return io_error(fmt::format("{}: cannot be written: {}", output.string(), std::strerror(errno)));
  }
  if (made >= 0) {
    ::close(made);
    ::unlink(partial.c_str());
  }
  return {};
}

std::filesystem::path numbered_path(const std::filesystem::path& output, int number) {
  std::filesystem::path path = output;
  path.replace_filename(fmt::format("{}_{:04}{}", output.stem().string(), number, output.extension().string()));
  return path;
}

ProgressBar::ProgressBar(const Globals& globals, std::string label)
    : label_(std::move(label)), is_enabled_(!globals.quiet && isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (is_shown_) {
    print(stderr, "\r\033[K");
  }
}

double ProgressBar::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

std::function<void(double)> ProgressBar::callback() {
  if (!is_enabled_) {
    return {};
  }
  return [this](double fraction) { show(fraction); };
}

void ProgressBar::show(double fraction) {
  const Clock::time_point now = Clock::now();
  if (now - start_ < std::chrono::seconds(1) || (is_shown_ && now - last_ < std::chrono::milliseconds(100))) {
    return;
  }
  constexpr int kWidth = 30;
  const double part = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(part * kWidth);
  print(stderr, fmt::format("\r\033[K{} [{}{}] {:3.0f} %  {:.0f} s", label_, std::string(std::size_t(filled), '#'),
                            std::string(std::size_t(kWidth - filled), '.'), 100 * part, seconds()));
  std::fflush(stderr);
  is_shown_ = true;
  last_ = now;
}

}  // namespace arete::cli
