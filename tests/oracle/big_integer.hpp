// SPDX-License-Identifier: MIT
// Whole numbers of up to 1024 bits, by school arithmetic; the program ends where one grows past that.
#pragma once
#include <array>
#include <cstdint>

namespace drover::oracle {

class Big {
 public:
  Big(long long n = 0);

  int sign() const;  // -1, 0, 1
  Big operator-() const;
  friend Big operator+(const Big& a, const Big& b);
  friend Big operator-(const Big& a, const Big& b) { return a + -b; }
  friend Big operator*(const Big& a, const Big& b);
  friend bool operator==(const Big& a, const Big& b) { return (a - b).sign() == 0; }
  friend bool operator<(const Big& a, const Big& b) { return (a - b).sign() < 0; }

 private:
  static constexpr std::size_t kDigits = 32;
  static int compare_size(const Big& a, const Big& b);
  void trim();

  std::array<std::uint32_t, kDigits> digits_{};  // low first
  std::size_t used_ = 0;
  bool negative_ = false;
};

}  // namespace drover::oracle
