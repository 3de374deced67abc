// Files become symbols of the program as they stand; CMake says where they are.
#include "serve/page_files.h"

#include <array>

#include "serve/tag.h"

// ARETE_FILE(name, path): the bytes from name to name_end are the file's.
#define ARETE_FILE(name, path)                     \
  extern "C" const std::byte name[], name##_end[]; \
  asm(".pushsection .rodata\n"                     \
      ".balign 16\n" #name                         \
      ":\n"                                        \
      ".incbin \"" path "\"\n" #name               \
      "_end:\n"                                    \
      ".byte 0\n"                                  \
      ".popsection\n")

ARETE_FILE(arete_page_html, ARETE_PAGE_HTML);
ARETE_FILE(arete_viewer_js, ARETE_VIEWER_JS);
ARETE_FILE(arete_camera_js, ARETE_CAMERA_JS);
ARETE_FILE(arete_ground_js, ARETE_GROUND_JS);
ARETE_FILE(arete_field_js, ARETE_FIELD_JS);
ARETE_FILE(arete_place_js, ARETE_PLACE_JS);
ARETE_FILE(arete_three_js, ARETE_THREE_JS);
ARETE_FILE(arete_wasm, ARETE_WASM);

namespace arete::serve {

namespace {
PageFile file_of(std::string_view path, const char* type, const std::byte* begin, const std::byte* end) {
  const std::span bytes(begin, end);
  return {path, type, bytes, tag_of(std::array{bytes})};
}
}  // namespace

const PageFile* find_page_file(std::string_view path) noexcept {
  constexpr const char* kScript = "text/javascript; charset=utf-8";
  static const std::array<PageFile, 8> files = {
      file_of("/", "text/html; charset=utf-8", arete_page_html, arete_page_html_end),
      file_of("/viewer.js", kScript, arete_viewer_js, arete_viewer_js_end),
      file_of("/camera.js", kScript, arete_camera_js, arete_camera_js_end),
      file_of("/ground.js", kScript, arete_ground_js, arete_ground_js_end),
      file_of("/field.js", kScript, arete_field_js, arete_field_js_end),
      file_of("/place.js", kScript, arete_place_js, arete_place_js_end),
      file_of("/three.module.min.js", kScript, arete_three_js, arete_three_js_end),
      file_of("/arete.wasm", "application/wasm", arete_wasm, arete_wasm_end),
  };
  for (const PageFile& file : files) {
    if (file.path == path) {
      return &file;
    }
  }
  return nullptr;
}

}  // namespace arete::serve
