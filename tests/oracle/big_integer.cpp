// SPDX-License-Identifier: MIT
// Sign and size apart, digits of 32 bits.
#include "oracle/big_integer.hpp"

#include <algorithm>
#include <cstdlib>

namespace drover::oracle {

Big::Big(long long n) : negative_(n < 0) {
  auto rest = static_cast<unsigned long long>(n);
  if (negative_) rest = 0 - rest;
  for (; rest != 0; rest >>= 32) digits_[used_++] = static_cast<std::uint32_t>(rest);
}

int Big::sign() const { return used_ == 0 ? 0 : negative_ ? -1 : 1; }

Big Big::operator-() const {
  Big out = *this;
  out.negative_ = !negative_;
  return out;
}

void Big::trim() {
  while (used_ > 0 && digits_[used_ - 1] == 0) --used_;
}

int Big::compare_size(const Big& a, const Big& b) {
  for (std::size_t i = std::max(a.used_, b.used_); i-- > 0;) {
    if (a.digits_[i] != b.digits_[i]) return a.digits_[i] < b.digits_[i] ? -1 : 1;
  }
  return 0;
}

Big operator+(const Big& a, const Big& b) {
  const bool larger = Big::compare_size(a, b) >= 0;
  const Big &x = larger ? a : b, &y = larger ? b : a;
  const bool subtract = a.negative_ != b.negative_;
  Big out;
  out.negative_ = x.negative_;
  std::int64_t carry = 0;
  for (std::size_t i = 0; i < x.used_; ++i) {
    const std::int64_t digit = y.digits_[i];
    carry += std::int64_t{x.digits_[i]} + (subtract ? -digit : digit);
    out.digits_[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  out.used_ = x.used_;
  if (carry != 0) {
    if (out.used_ == Big::kDigits) std::abort();
    out.digits_[out.used_++] = static_cast<std::uint32_t>(carry);
  }
  out.trim();
  return out;
}

Big operator*(const Big& a, const Big& b) {
  if (a.used_ + b.used_ > Big::kDigits) std::abort();
  Big out;
  out.negative_ = a.negative_ != b.negative_;
  out.used_ = a.used_ + b.used_;
  for (std::size_t i = 0; i < a.used_; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < b.used_; ++k) {
      carry += std::uint64_t{a.digits_[i]} * b.digits_[k] + out.digits_[i + k];
      out.digits_[i + k] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    out.digits_[i + b.used_] = static_cast<std::uint32_t>(carry);
  }
  out.trim();
  return out;
}

}  // namespace drover::oracle
