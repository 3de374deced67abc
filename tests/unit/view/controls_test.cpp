// The keys: each does one thing, and the manual names them all.
#include "view/controls.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "view/settings.h"

namespace arete::view {
namespace {

TEST(Controls, EveryActionHasAKeyAndNoKeyTwo) {
  std::map<std::string, int> keys;
  std::set<Action> actions;
  for (const Binding& binding : bindings()) {
    keys[binding.key] += 1;
    if (binding.other_key != nullptr) keys[binding.other_key] += 1;
    EXPECT_TRUE(actions.insert(binding.action).second) << binding.words;
  }
  for (const auto& [key, uses] : keys) EXPECT_EQ(uses, 1) << key;
  EXPECT_EQ(actions.size(), std::size_t(Action::leave) + 1);
}

TEST(Controls, FlyingIsHeldAndTheRestActsOnce) {
  EXPECT_TRUE(is_held(Action::ahead));
  EXPECT_TRUE(is_held(Action::fast));
  EXPECT_FALSE(is_held(Action::go_there));
  EXPECT_FALSE(is_held(Action::leave));
}

TEST(Controls, TheManualNamesEveryKey) {
  std::ifstream file(ARETE_SOURCE_DIR "/docs/view.md");
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(manual.empty());
  for (const Binding& binding : bindings()) {
    EXPECT_NE(manual.find("| " + key_names(binding) + " | " + binding.words), std::string::npos) << key_names(binding);
  }
}

TEST(Settings, ColoursComeRoundAndADrapeOnlyWhereThereIsOne) {
  for (const bool has_drape : {false, true}) {
    const vulkan::Picture image{1, 1, {1, 2, 3, 255}};
    vulkan::PictureOptions picture;
    picture.drape = has_drape ? &image : nullptr;
    std::set<vulkan::Colour> seen;
    for (int i = 0; i < (has_drape ? 5 : 4); ++i) {
      seen.insert(picture.colour);
      picture.colour = next_colour(picture);
    }
    EXPECT_EQ(picture.colour, vulkan::Colour::relief);
    EXPECT_EQ(seen.size(), has_drape ? 5u : 4u);
    EXPECT_EQ(seen.contains(vulkan::Colour::drape), has_drape);
  }
}

}  // namespace
}  // namespace arete::view
