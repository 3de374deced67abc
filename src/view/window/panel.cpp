// Lays the panel out.
#include "view/window/panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace arete::view {
namespace {

const ImVec4 kQuiet{0.66f, 0.70f, 0.76f, 1};
const ImVec4 kLoud{1.0f, 0.55f, 0.35f, 1};

void show(const std::string& text) { ImGui::TextUnformatted(text.c_str()); }

void row(const char* name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextColored(kQuiet, "%s", name);
  ImGui::TableNextColumn();
  show(value);
}

std::string counted(std::int64_t value) {
  std::string text = std::to_string(value);
  for (int at = int(text.size()) - 3; at > 0; at -= 3) {
    text.insert(std::size_t(at), 1, ',');
  }
  return text;
}

std::string milliseconds(const std::optional<double>& ms) { return ms ? fmt::format("{:.2f}", *ms) : "?"; }

std::string metres(double value) {
  return value < 100 ? fmt::format("{:.1f} m", value) : counted(std::int64_t(value)) + " m";
}

void draw_figures(const Figures& figures) {
  if (!ImGui::BeginTable("figures", 2, ImGuiTableFlags_SizingFixedFit)) return;
  row("frames", fmt::format("{:.1f} a second", figures.frames_per_s));
  row("ms", fmt::format("cut {:.2f}, build {}, draw {}", figures.cut_ms, milliseconds(figures.build_ms),
                        milliseconds(figures.draw_ms)));
  row("nodes", fmt::format("{} of {}", counted(figures.nodes), counted(figures.cut_nodes)));
  row("triangles", counted(figures.triangles));
  row("vertices", counted(figures.built_vertices) + " rebuilt");
  const StreamStats& pages = figures.pages;
  std::string here = fmt::format("{} here, {} awaited", counted(pages.resident_pages),
                                 counted(pages.missing_pages - pages.refused_pages));
  if (pages.refused_pages > 0) here += fmt::format(", {} over the budget", counted(pages.refused_pages));
  row("pages", here);
  row("memory",
      fmt::format("{:.0f} of {:.0f} MiB", double(pages.used_bytes) / 1048576, double(pages.budget_bytes) / 1048576));
  row("eye",
      fmt::format("{:.0f}, {:.0f}, {:.0f}", figures.camera.eye_x_m, figures.camera.eye_y_m, figures.camera.eye_z_m));
  row("height", figures.height_m ? metres(*figures.height_m) + " over the ground" : "beyond the field");
  row("pace", metres(figures.speed_m_s) + "/s");
  ImGui::EndTable();
}

void slider(const char* name, double& value, float low, float high, const char* format, ImGuiSliderFlags flags = 0) {
  auto shown = float(value);
  if (ImGui::SliderFloat(name, &shown, low, high, format, flags | ImGuiSliderFlags_AlwaysClamp)) value = shown;
}

void draw_settings(Settings& settings) {
  vulkan::PictureOptions& picture = settings.picture;
  ImGui::PushItemWidth(170);
  slider("error", settings.ranges.max_error_px, 0.5f, 32, "%.2f px", ImGuiSliderFlags_Logarithmic);
  const char* const names[] = {"relief", "slope", "lod", "contour", "drape"};
  int colour = int(picture.colour);
  if (ImGui::Combo("colour", &colour, names, picture.drape != nullptr ? 5 : 4)) picture.colour = vulkan::Colour(colour);
  ImGui::Checkbox("wireframe", &picture.wireframe);
  ImGui::SameLine(120);
  ImGui::Checkbox("morph", &settings.has_morph);
  ImGui::Checkbox("frozen cut", &settings.is_frozen);
  ImGui::SameLine(120);
  bool has_max = settings.ranges.plane == HeightPlane::max;
  if (ImGui::Checkbox("ridges", &has_max)) {
    settings.ranges.plane = has_max ? HeightPlane::max : HeightPlane::subsample;
  }
  ImGui::Checkbox("shadows", &picture.shadows);
  ImGui::SameLine(120);
  ImGui::Checkbox("vsync", &settings.has_vsync);
  slider("sun's azimuth", picture.sun_azimuth_deg, 0, 360, "%.0f deg");
  slider("sun's altitude", picture.sun_altitude_deg, -5, 90, "%.0f deg");
  slider("haze", picture.haze, 0, 4, "%.2f");
  ImGui::PopItemWidth();
}

void draw_keys() {
  if (!ImGui::CollapsingHeader("Keys") || !ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) return;
  for (const Binding& binding : bindings()) {
    row(key_names(binding).c_str(), binding.words);
  }
  row("right button", "look around");
  row("wheel", "pace");
  row("double click", "fly there");
  ImGui::EndTable();
}

}  // namespace

std::optional<Action> draw_panel(const Figures& figures, Settings& settings) {
  std::optional<Action> action;
  ImGui::SetNextWindowPos({14, 14}, ImGuiCond_FirstUseEver);
  const bool is_open = ImGui::Begin(figures.device.c_str(), nullptr, ImGuiWindowFlags_AlwaysAutoResize);
  // A window that became small pushes the panel out at its left or top, where it would stay.
  const ImVec2 at = ImGui::GetWindowPos();
  if (at.x < 0 || at.y < 0) ImGui::SetWindowPos({std::max(at.x, 0.0f), std::max(at.y, 0.0f)});
  if (is_open) {
    draw_figures(figures);
    if (figures.detail < 1) {
      ImGui::TextColored(kLoud, "too many nodes: drawn with %.2f of the ranges", figures.detail);
    }
    if (!figures.trouble.empty()) {
      ImGui::PushTextWrapPos(330);
      ImGui::TextColored(kLoud, "%s", figures.trouble.c_str());
      ImGui::PopTextWrapPos();
    }
    ImGui::Separator();
    draw_settings(settings);
    if (ImGui::Button("whole field")) action = Action::frame_field;
    ImGui::SameLine();
    if (ImGui::Button("reset")) action = Action::reset;
    draw_keys();
  }
  ImGui::End();
  return action;
}

void draw_lines(std::span<const Line> lines) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const auto point = [&](double x, double y) { return ImVec2(float(x) / scale.x, float(y) / scale.y); };
  for (const Line& line : lines) {
    list.AddLine(point(line.from_x, line.from_y), point(line.to_x, line.to_y), IM_COL32(255, 190, 90, 235), 1.5f);
  }
}

}  // namespace arete::view
