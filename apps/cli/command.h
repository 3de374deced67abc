// What every command of `arete` shares: global options, messages, exit codes and progress.
//
// Results go to stdout, messages to stderr. Exit code 0: done; 1: data, disk or device; 2: usage.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arete/result.h"

namespace arete::cli {

using Json = nlohmann::ordered_json;

struct Globals {
  bool json = false;
  bool quiet = false;
  int jobs = 0;  // threads; 0: one a processor
};

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

inline constexpr double kFarthest_m = 1e30;  // of a camera from the origin: paths between such places are finite
inline constexpr double kLeastFov_deg = 1, kGreatestFov_deg = 150;

// Writes text as it is. A failure is the stream's: run_command_line's caller looks at stdout's in the end.
void print(std::FILE* stream, std::string_view text);
// Prints "arete: message" on stderr as one line and returns the exit code of its kind.
int fail(const Error& error);
// The error, which names the store where it is about its data.
Error naming_store(Error error, const std::string& store);
// Prints "arete: warning: message" unless quiet.
void warn(const Globals& globals, const std::string& message);
// Prints a JSON document, or text unless quiet.
void print_json(const Json& document);
void print_text(const Globals& globals, const std::string& text);

// 1234567 as "1,234,567".
std::string with_commas(std::int64_t value);
// Bytes as "1.23 MB".
std::string file_size(std::int64_t bytes);
// The number in the fewest digits that read back as the same double.
std::string number(double value);

// A file's text for a refusal: its beginning where it is long.
std::string excerpt(std::string_view text);

// "1,2,3" as exactly `count` finite numbers; `name` is the option, for the refusal.
Result<std::vector<double>> parse_numbers(const std::string& text, std::size_t count, const std::string& name);

// Refuses an output that is no ordinary file (finished files replace what bears their name, devices too), that is one
// of the inputs, whose folder is missing or does not take its name, or whose .partial is a folder.
Result<void> check_output(const std::filesystem::path& output, std::span<const std::string> inputs);

// "out.png", 7: "out_0007.png".
std::filesystem::path numbered_path(const std::filesystem::path& output, int number);

// A bar on stderr for work that takes more than a second, on terminals alone; gone when the object is.
class ProgressBar {
 public:
  ProgressBar(const Globals& globals, std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // Takes the fraction done, 0..1; called from one thread at a time.
  std::function<void(double)> callback();
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  void show(double fraction);
  std::string label_;
  bool is_enabled_;
  bool is_shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace arete::cli
