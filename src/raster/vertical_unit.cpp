// A table of spellings; see vertical_unit.h.
#include "vertical_unit.h"

#include <array>
#include <cctype>
#include <string_view>

namespace arete {
namespace {
struct Spelling {
  std::string_view word;  // lower case, letters only
  double metres;
  const char* name;
};
constexpr double kSurveyFoot = 1200.0 / 3937.0;
constexpr std::array kSpellings = {
    Spelling{"", 1, "metre"},
    Spelling{"m", 1, "metre"},
    Spelling{"metre", 1, "metre"},
    Spelling{"metres", 1, "metre"},
    Spelling{"meter", 1, "metre"},
    Spelling{"meters", 1, "metre"},
    Spelling{"mtr", 1, "metre"},
    Spelling{"ft", 0.3048, "foot"},
    Spelling{"foot", 0.3048, "foot"},
    Spelling{"feet", 0.3048, "foot"},
    Spelling{"internationalfoot", 0.3048, "foot"},
    Spelling{"internationalfeet", 0.3048, "foot"},
    Spelling{"ussurveyfoot", kSurveyFoot, "US survey foot"},
    Spelling{"ussurveyfeet", kSurveyFoot, "US survey foot"},
    Spelling{"footussurvey", kSurveyFoot, "US survey foot"},
    Spelling{"footus", kSurveyFoot, "US survey foot"},
    Spelling{"usfoot", kSurveyFoot, "US survey foot"},
    Spelling{"usfeet", kSurveyFoot, "US survey foot"},
    Spelling{"usft", kSurveyFoot, "US survey foot"},
    Spelling{"ftus", kSurveyFoot, "US survey foot"},
    Spelling{"sft", kSurveyFoot, "US survey foot"},
    Spelling{"dm", 0.1, "decimetre"},
    Spelling{"decimetre", 0.1, "decimetre"},
    Spelling{"decimeter", 0.1, "decimetre"},
    Spelling{"cm", 0.01, "centimetre"},
    Spelling{"centimetre", 0.01, "centimetre"},
    Spelling{"centimeter", 0.01, "centimetre"},
    Spelling{"mm", 0.001, "millimetre"},
    Spelling{"millimetre", 0.001, "millimetre"},
    Spelling{"millimeter", 0.001, "millimetre"},
    Spelling{"km", 1000, "kilometre"},
    Spelling{"kilometre", 1000, "kilometre"},
    Spelling{"kilometer", 1000, "kilometre"},
    Spelling{"fathom", 1.8288, "fathom"},
    Spelling{"fathoms", 1.8288, "fathom"},
    Spelling{"yd", 0.9144, "yard"},
    Spelling{"yard", 0.9144, "yard"},
};
}  // namespace

std::optional<VerticalUnit> vertical_unit(const std::string& word) {
  std::string letters;
  for (const char c : word) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  if (letters.empty() && !word.empty()) {
    return {};
  }
  for (const Spelling& spelling : kSpellings) {
    if (spelling.word == letters) {
      return VerticalUnit{spelling.metres, spelling.name};
    }
  }
  return {};
}

}  // namespace arete
