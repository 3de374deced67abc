// Context, style and draw lists.
#include "view/window/gui.h"

#include <backends/imgui_impl_sdl.h>
#include <imgui.h>

#include <cstring>

namespace arete::view {
namespace {

static_assert(sizeof(ImDrawVert) == sizeof(vulkan::OverlayVertex) && sizeof(ImDrawIdx) == sizeof(std::uint16_t));

void set_style() {
  ImGui::StyleColorsDark();
  ImGuiStyle& style = ImGui::GetStyle();
  style.WindowRounding = 6;
  style.FrameRounding = 3;
  style.GrabRounding = 3;
  style.WindowBorderSize = 0;
  style.WindowPadding = {12, 10};
  style.ItemSpacing = {8, 5};
  const auto set = [&](ImGuiCol which, ImVec4 colour) { style.Colors[which] = colour; };
  set(ImGuiCol_WindowBg, {0.06f, 0.07f, 0.09f, 0.95f});
  set(ImGuiCol_TitleBg, {0.10f, 0.12f, 0.15f, 0.95f});
  set(ImGuiCol_TitleBgActive, {0.10f, 0.12f, 0.15f, 0.95f});
  set(ImGuiCol_FrameBg, {0.22f, 0.25f, 0.31f, 1.0f});
  set(ImGuiCol_FrameBgHovered, {0.29f, 0.33f, 0.41f, 1.0f});
  set(ImGuiCol_FrameBgActive, {0.34f, 0.40f, 0.49f, 1.0f});
  set(ImGuiCol_SliderGrab, {0.85f, 0.62f, 0.30f, 0.95f});
  set(ImGuiCol_SliderGrabActive, {0.96f, 0.72f, 0.38f, 1.0f});
  set(ImGuiCol_CheckMark, {0.96f, 0.72f, 0.38f, 1.0f});
  set(ImGuiCol_Header, {0.22f, 0.25f, 0.31f, 1.0f});
  set(ImGuiCol_HeaderHovered, {0.29f, 0.33f, 0.41f, 1.0f});
  set(ImGuiCol_HeaderActive, {0.34f, 0.40f, 0.49f, 1.0f});
  set(ImGuiCol_Button, {0.22f, 0.25f, 0.31f, 1.0f});
  set(ImGuiCol_ButtonHovered, {0.29f, 0.33f, 0.41f, 1.0f});
  set(ImGuiCol_ButtonActive, {0.34f, 0.40f, 0.49f, 1.0f});
}

}  // namespace

Gui::Gui(SDL_Window* window) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // nothing is written
  set_style();
  ImGui_ImplSDL2_InitForVulkan(window);
}

Gui::~Gui() {
  ImGui_ImplSDL2_Shutdown();
  ImGui::DestroyContext();
}

vulkan::Coverage Gui::coverage() const {
  unsigned char* texels = nullptr;
  int width = 0, height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&texels, &width, &height);
  return {std::uint32_t(width), std::uint32_t(height), {texels, std::size_t(width) * std::size_t(height)}};
}

void Gui::forget_coverage() { ImGui::GetIO().Fonts->ClearTexData(); }

void Gui::take(const SDL_Event& event) { ImGui_ImplSDL2_ProcessEvent(&event); }
bool Gui::wants_pointer() const { return ImGui::GetIO().WantCaptureMouse; }
bool Gui::wants_keyboard() const { return ImGui::GetIO().WantTextInput; }

void Gui::begin() {
  ImGui_ImplSDL2_NewFrame();
  ImGui::NewFrame();
}

void Gui::end(vulkan::Overlay& overlay) {
  ImGui::Render();
  const ImDrawData& data = *ImGui::GetDrawData();
  overlay.pixels_per_point = data.FramebufferScale.x;
  overlay.vertices.resize(std::size_t(data.TotalVtxCount));
  overlay.indices.clear();
  overlay.draws.clear();
  std::int32_t first_vertex = 0;
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    std::memcpy(overlay.vertices.data() + first_vertex, list.VtxBuffer.Data,
                std::size_t(list.VtxBuffer.Size) * sizeof(ImDrawVert));
    const auto first_index = std::uint32_t(overlay.indices.size());
    overlay.indices.insert(overlay.indices.end(), list.IdxBuffer.begin(), list.IdxBuffer.end());
    for (const ImDrawCmd& draw : list.CmdBuffer) {
      overlay.draws.push_back({draw.ClipRect.x, draw.ClipRect.y, draw.ClipRect.z, draw.ClipRect.w,
                               first_index + draw.IdxOffset, draw.ElemCount,
                               first_vertex + std::int32_t(draw.VtxOffset)});
    }
    first_vertex += list.VtxBuffer.Size;
  }
}

}  // namespace arete::view
