// Vulkan's results as Errors of one line.
#pragma once

#include <string>

#include "arete/result.h"
#include "vulkan/functions.h"

namespace arete::vulkan {

// The result's name in the specification, for instance VK_ERROR_DEVICE_LOST.
const char* result_name(VkResult result) noexcept;

// Nothing for VK_SUCCESS; otherwise an error (gpu) that names `action`, the result and what helps.
Result<void> check(VkResult result, const std::string& action);

}  // namespace arete::vulkan

// Returns the error of a Result<void> expression from the function around it.
#define ARETE_TRY(expression)                    \
  do {                                           \
    if (auto tried = (expression); !tried) {     \
      return ::arete::Unexpected{tried.error()}; \
    }                                            \
  } while (false)
