// Runs a test of vector code on every instruction set that this machine has.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <utility>

namespace arete::test {

// Calls test(name) once for each instruction set that was compiled, and leaves the best chosen.
template <class Test>
void on_every_target(Test&& test) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    test(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace arete::test
