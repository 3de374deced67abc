// What can be done in the window, and by which keys: the one list that the window obeys and the panel shows.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace arete::view {

enum class Action : std::uint8_t {
  ahead,
  back,
  left,
  right,
  up,
  down,
  fast,
  go_there,
  frame_field,
  reset,
  freeze,
  morph,
  wireframe,
  next_colour,
  panel,
  leave,
};

struct Binding {
  Action action;
  const char* key;        // by the name that SDL gives its place on the keyboard
  const char* other_key;  // or nullptr
  const char* words;
};
std::span<const Binding> bindings() noexcept;

// Those up to `fast` act for as long as they are held, the others once.
inline bool is_held(Action action) noexcept { return action <= Action::fast; }

// "E, Space".
std::string key_names(const Binding& binding);

}  // namespace arete::view
