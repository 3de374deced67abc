// What an option's text must be, and how a wrong command line is refused. With options.cpp the only files that know the
// option parser.
//
// The parser's own checks let nan and negative unsigned numbers through, and speak of types instead of options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace arete::cli {

// A number from `least` to `greatest`.
CLI::Validator number_in(double least, double greatest = std::numeric_limits<double>::max());
// A finite number above 0.
CLI::Validator number_above_zero();
CLI::Validator finite_number();
// Infinities and nan too.
CLI::Validator any_number();
// Digits alone, a sign before them, from `least` to `greatest`.
CLI::Validator whole_number(std::int64_t least, std::int64_t greatest = std::numeric_limits<std::int64_t>::max());
CLI::Validator one_of(const std::vector<std::string>& words);
// 536870912 or 512M: becomes the number of bytes. K, M, G and T are powers of 1024; a B or iB may follow.
CLI::Validator byte_count();
// The name of a file.
CLI::Validator file_name();

// One line that says what is wrong with the command line, where, and which help tells more.
std::string refusal(const CLI::App& app, const CLI::ParseError& error);

// Help whose usage line holds the arguments before a command of a command: "arete query STORE height".
class HelpWithParents : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
};

}  // namespace arete::cli
