// The list of keys.
#include "view/controls.h"

namespace arete::view {
namespace {

constexpr Binding kBindings[] = {
    {Action::ahead, "W", "Up", "fly ahead"},
    {Action::back, "S", "Down", "fly back"},
    {Action::left, "A", "Left", "fly to the left"},
    {Action::right, "D", "Right", "fly to the right"},
    {Action::up, "E", "Space", "rise"},
    {Action::down, "Q", "Left Ctrl", "sink"},
    {Action::fast, "Left Shift", nullptr, "four times as fast"},
    {Action::go_there, "T", nullptr, "fly to the ground pointed at"},
    {Action::frame_field, "F", nullptr, "see the whole field"},
    {Action::reset, "R", nullptr, "back to where it began"},
    {Action::freeze, "C", nullptr, "freeze the cut, and fly on"},
    {Action::morph, "M", nullptr, "morph on and off"},
    {Action::wireframe, "X", nullptr, "every triangle's edges"},
    {Action::next_colour, "L", nullptr, "next colours"},
    {Action::panel, "H", nullptr, "this panel on and off"},
    {Action::leave, "Escape", nullptr, "end"},
};

}  // namespace

std::span<const Binding> bindings() noexcept { return kBindings; }

std::string key_names(const Binding& binding) {
  return binding.other_key == nullptr ? binding.key : std::string(binding.key) + ", " + binding.other_key;
}

}  // namespace arete::view
