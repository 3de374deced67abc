#include "option_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "nearest_words.h"

namespace arete::cli {
namespace {

// The whole text as a number, as the parser reads it.
std::optional<double> real(const std::string& text) {
  double value = 0;
  return CLI::detail::lexical_cast(text, value) ? std::optional(value) : std::nullopt;
}

// "expected WANTED, found 'text'" unless the text fits.
template <class Fits>
CLI::Validator expecting(const std::string& wanted, const std::string& shown, Fits fits) {
  return CLI::Validator(
      [=](const std::string& text) {
        return fits(text) ? std::string() : fmt::format("expected {}, found '{}'", wanted, text);
      },
      shown);
}

// "bake", "query height", or nothing.
std::string command_words(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  if (parent == nullptr) {
    return {};
  }
  const std::string before = command_words(*parent);
  return before.empty() ? command.get_name() : before + " " + command.get_name();
}

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands(nullptr)) {
    names.push_back(sub->get_name());
  }
  return names;
}

// Long options of a command and of those before it.
std::vector<std::string> names_of_options(const CLI::App* command) {
  std::vector<std::string> names;
  for (; command != nullptr; command = command->get_parent()) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
    }
  }
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& words) {
  const std::vector<std::string> nearest = nearest_words(word, words);
  return nearest.empty() ? "" : fmt::format("did you mean {}?", fmt::join(nearest, " or "));
}

// What was not expected: a word where a command should stand, an option, or one word too many.
std::string extra_words(const CLI::App& command, const std::string& extra) {
  const std::vector<std::string> commands = names_of_commands(command);
  if (extra.starts_with('-')) {
    const std::string guess = did_you_mean(extra.substr(0, extra.find('=')), names_of_options(&command));
    return fmt::format("unknown option '{}'{}{}", extra, guess.empty() ? "" : "; ", guess);
  }
  if (commands.empty()) {
    return fmt::format("'{}' is one word too many", extra);
  }
  const std::string guess = did_you_mean(extra, commands);
  return fmt::format("unknown command '{}'; {}", extra,
                     guess.empty() ? fmt::format("expected {}", fmt::join(commands, ", ")) : guess);
}

// The parser's words, where these name the option and say what it needs; else our own.
std::string problem(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  std::string words = error.what();
  const std::string name = words.substr(0, words.find_first_of(": "));
  const std::vector<std::string> extra = app.remaining(true);
  if (!extra.empty()) {
    return extra_words(command, extra.front());
  }
  if (error.get_name() == "RequiredError") {
    return name == "A" ? fmt::format("no command; expected {}", fmt::join(names_of_commands(command), ", "))
                       : fmt::format("{} is missing", name);
  }
  if (error.get_name() == "ArgumentMismatch") {
    return words.find("At Most") != std::string::npos ? name + ": given twice; give it once"
                                                      : name + ": a value is missing";
  }
  return words;
}

}  // namespace

CLI::Validator number_in(double least, double greatest) {
  const bool is_bounded = greatest < std::numeric_limits<double>::max();
  const std::string range =
      is_bounded ? fmt::format("from {} to {}", least, greatest) : fmt::format("of {} or more", least);
  return expecting("a number " + range,
                   is_bounded ? fmt::format("{}..{}", least, greatest) : fmt::format(">= {}", least),
                   [=](const std::string& text) {
                     const std::optional<double> value = real(text);
                     return value && *value >= least && *value <= greatest;
                   });
}

CLI::Validator number_above_zero() {
  return expecting("a number above 0", "> 0", [](const std::string& text) {
    const std::optional<double> value = real(text);
    return value && *value > 0 && std::isfinite(*value);
  });
}

CLI::Validator finite_number() {
  return expecting("a number", "", [](const std::string& text) {
    const std::optional<double> value = real(text);
    return value && std::isfinite(*value);
  });
}

CLI::Validator any_number() {
  return expecting("a number", "", [](const std::string& text) { return real(text).has_value(); });
}

CLI::Validator whole_number(std::int64_t least, std::int64_t greatest) {
  const bool is_bounded = greatest < std::numeric_limits<std::int64_t>::max();
  const std::string range =
      is_bounded ? fmt::format("from {} to {}", least, greatest) : fmt::format("of {} or more", least);
  return expecting("a whole number " + range,
                   is_bounded ? fmt::format("{}..{}", least, greatest) : fmt::format(">= {}", least),
                   [=](const std::string& text) {
                     std::int64_t value = 0;
                     const char* end = text.data() + text.size();
                     const auto [stop, failure] = std::from_chars(text.data(), end, value);
                     return failure == std::errc() && stop == end && value >= least && value <= greatest;
                   });
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  return expecting(fmt::format("{}", fmt::join(words, " or ")), fmt::format("{}", fmt::join(words, "|")),
                   [=](const std::string& text) { return std::find(words.begin(), words.end(), text) != words.end(); });
}

CLI::Validator byte_count() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t bytes = 0;
        const char* end = text.data() + text.size();
        const auto [stop, failure] = std::from_chars(text.data(), end, bytes);
        std::string unit = CLI::detail::to_lower(std::string(stop, end));
        for (const char* tail : {"b", "i"}) {
          unit = unit.ends_with(tail) ? unit.substr(0, unit.size() - 1) : unit;
        }
        const std::size_t power = unit.empty() ? 0 : std::string("kmgt").find(unit) + 1;
        const bool is_unit = unit.size() <= 1 && (unit.empty() || power > 0);
        if (failure != std::errc() || !is_unit || bytes > (std::numeric_limits<std::uint64_t>::max() >> (10 * power))) {
          return fmt::format("expected bytes such as 536870912, 512M or 2G, found '{}'", text);
        }
        text = fmt::format("{}", bytes << (10 * power));
        return std::string();
      },
      "");
}

CLI::Validator file_name() {
  return expecting("the name of a file", "", [](const std::string& text) { return !text.empty(); });
}

std::string refusal(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
  }
  const std::string words = command_words(*command);
  const std::string text = problem(app, *command, error);
  return fmt::format("{}{}{}{} arete {}--help", words, words.empty() ? "" : ": ", text,
                     text.ends_with('?') ? " See" : "; see", words.empty() ? "" : words + " ");
}

std::string HelpWithParents::make_usage(const CLI::App* app, std::string name) const {
  if (const CLI::App* parent = app->get_parent(); parent != nullptr) {
    std::string arguments;
    for (const CLI::Option* option : parent->get_options()) {
      arguments += option->get_positional() ? option->get_name(true) + " " : "";
    }
    name.insert(name.size() - std::min(name.size(), app->get_name().size()), arguments);
  }
  return CLI::Formatter::make_usage(app, name);
}

}  // namespace arete::cli
