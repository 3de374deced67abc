// The panel: what is drawn, what can be changed, and the keys.
#pragma once

#include <optional>
#include <span>

#include "view/controls.h"
#include "view/frustum_lines.h"
#include "view/settings.h"

namespace arete::view {

// Draws the panel and takes changes into `settings`; a button that was pressed is the action that it stands for.
std::optional<Action> draw_panel(const Figures& figures, Settings& settings);

// Lines over the picture, under the panel.
void draw_lines(std::span<const Line> lines);

}  // namespace arete::view
