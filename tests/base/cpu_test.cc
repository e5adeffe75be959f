#include "instantgp/base/cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace instantgp {
namespace {

int FeatureCount() {
  int count = 0;
  while (CpuFeatureName(count) != nullptr) ++count;
  return count;
}

std::string Describe(CpuFeatures needed, CpuFeatures present) {
  char buffer[1024];
  const std::size_t length = DescribeMissingCpuFeatures(needed, present, buffer, sizeof(buffer));
  EXPECT_EQ(length, std::string(buffer).size());
  return buffer;
}

bool Contains(const std::string& text, const std::string& word) {
  return (" " + text + ";").find(" " + word + " ") != std::string::npos ||
         (" " + text + ";").find(" " + word + ";") != std::string::npos;
}

TEST(Cpu, ThisMachineRunsThisBuild) {
  EXPECT_EQ(Describe(kBuildCpuFeatures, MachineCpuFeatures()), "");
  EXPECT_EQ(kBuildCpuFeatures & ~MachineCpuFeatures(), 0u);
}

TEST(Cpu, TheBuildKnowsWhatItWasCompiledFor) {
  std::set<std::string> built;
  for (int bit = 0; bit < FeatureCount(); ++bit) {
    if (kBuildCpuFeatures >> bit & 1) built.insert(CpuFeatureName(bit));
  }
  // The tests are compiled with the same options as the library.
#ifdef __AVX512F__
  EXPECT_TRUE(built.contains("AVX512F"));
#else
  EXPECT_FALSE(built.contains("AVX512F"));
#endif
#ifdef __AVX2__
  EXPECT_TRUE(built.contains("AVX2"));
#else
  EXPECT_FALSE(built.contains("AVX2"));
#endif
#ifdef __FMA__
  EXPECT_TRUE(built.contains("FMA"));
#else
  EXPECT_FALSE(built.contains("FMA"));
#endif
#ifdef __SSE4_2__
  EXPECT_TRUE(built.contains("SSE4.2"));
#else
  EXPECT_FALSE(built.contains("SSE4.2"));
#endif
}

TEST(Cpu, NamesExactlyWhatIsMissing) {
  for (int needed = 0; needed < FeatureCount(); ++needed) {
    for (int present = 0; present < FeatureCount(); ++present) {
      const std::string text = Describe(CpuFeatures{1} << needed, CpuFeatures{1} << present);
      EXPECT_EQ(text.empty(), needed == present);
      EXPECT_EQ(Contains(text, CpuFeatureName(needed)), needed != present) << text;
    }
  }
  if (FeatureCount() == 0) return;
  const CpuFeatures all = (CpuFeatures{1} << FeatureCount()) - 1;
  EXPECT_EQ(Describe(all, all), "");
  EXPECT_EQ(Describe(0, 0), "");
  const std::string text = Describe(all, 1);
  EXPECT_FALSE(Contains(text, CpuFeatureName(0)));
  for (int bit = 1; bit < FeatureCount(); ++bit) EXPECT_TRUE(Contains(text, CpuFeatureName(bit)));
  EXPECT_TRUE(text.find("INSTANTGP_ARCH") != std::string::npos);
}

TEST(Cpu, NeverWritesPastTheBuffer) {
  if (FeatureCount() == 0) return;
  const std::string whole = Describe(~CpuFeatures{0}, 0);
  for (std::size_t size = 0; size <= whole.size() + 2; ++size) {
    std::string buffer(size + 1, '!');
    const std::size_t length = DescribeMissingCpuFeatures(~CpuFeatures{0}, 0, buffer.data(), size);
    EXPECT_EQ(length, size == 0 ? 0 : std::min(size - 1, whole.size()));
    EXPECT_EQ(buffer[size], '!');
    EXPECT_EQ(buffer.substr(0, length), whole.substr(0, length));
  }
}

TEST(Cpu, FeaturesHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (int bit = 0; bit < FeatureCount(); ++bit) names.insert(CpuFeatureName(bit));
  EXPECT_EQ(static_cast<int>(names.size()), FeatureCount());
  EXPECT_EQ(CpuFeatureName(-1), nullptr);
}

}  // namespace
}  // namespace instantgp
