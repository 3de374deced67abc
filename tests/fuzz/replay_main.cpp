// Runs a fuzz target without libFuzzer: every file of a corpus as it is, then seeded mutations of them.
//
// usage: fuzz_<name> CORPUS_FOLDER MUTATIONS
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

void mutate(Bytes& bytes, const Bytes& other, std::mt19937& random) {
  const auto place = [&](std::size_t size) { return size == 0 ? 0 : std::size_t(random()) % size; };
  switch (random() % 5) {
    case 0:
      if (!bytes.empty()) {
        bytes[place(bytes.size())] ^= std::uint8_t(1u << random() % 8);
      }
      break;
    case 1:
      if (!bytes.empty()) {
        bytes[place(bytes.size())] = std::uint8_t(random());
      }
      break;
    case 2:
      bytes.resize(place(bytes.size() + 1));
      break;
    case 3:
      bytes.insert(bytes.begin() + std::ptrdiff_t(place(bytes.size() + 1)), std::uint8_t(random()));
      break;
    default: {
      const std::size_t from = place(other.size()), count = std::min<std::size_t>(other.size() - from, random() % 64);
      for (std::size_t i = 0, at = place(bytes.size()); i < count && at + i < bytes.size(); ++i) {
        bytes[at + i] = other[from + i];
      }
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER MUTATIONS\n", arguments[0]);
    return 2;
  }
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(corpus.back().data(), corpus.back().size());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no seeds\n", arguments[1]);
    return 1;
  }
  std::mt19937 random(1);
  const long mutations = std::atol(arguments[2]);
  for (long i = 0; i < mutations; ++i) {
    Bytes bytes = corpus[random() % corpus.size()];
    for (unsigned steps = 1 + random() % 4; steps > 0; --steps) {
      mutate(bytes, corpus[random() % corpus.size()], random);
    }
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%zu seeds and %ld mutations\n", corpus.size(), mutations);
  return 0;
}
