// Bytes of a row in another order, a vector at a time.
#pragma once
#include "fixed_words.hpp"

#if defined(__AVX2__)
namespace ndresize::NDRESIZE_ISA {

// What can be permuted at once: each 128 bits, or all of a vector.
#if defined(__AVX512VBMI__)
constexpr int window_bytes = B;
#else
constexpr int window_bytes = 16;
#endif

// Where the bytes of a vector lie in a row, and in which orders they are taken: up to four windows side
// by side, from one offset for each 128 bits on or from one for all. Controls: of each window and order or,
// where a vector is permuted, of each order, with places in all windows; -1, of up to three windows: zero.
template <int Orders, int Windows>
class ByteOrder {
 public:
  static constexpr int parts = B / window_bytes;  // that have an offset

  // What is read of a row.
  struct Samples {
    Word x[Windows];
  };

#if defined(__AVX512VBMI__)
  static constexpr int controls = Orders;

  ByteOrder(const int* offset, const signed char* control) : at_(*offset) {
#pragma GCC unroll 2
    for (int p = 0; p < Orders; ++p) {
      control_[p] = load(control + p * B);
      const Word window = bit_and(control_[p], _mm512_set1_epi8(-64));
#pragma GCC unroll 4
      for (int k = 0; k < Windows; ++k)
        of_[p][k] = _mm512_cmpeq_epi8_mask(window, _mm512_set1_epi8(static_cast<char>(64 * k)));
    }
  }
  Samples read(const char* row) const {
    Samples s;
#pragma GCC unroll 4
    for (int k = 0; k < Windows; ++k) s.x[k] = load(row + at_ + k * B);
    return s;
  }
  Word take(const Samples& s, int p) const {
    Word x = _mm512_maskz_permutexvar_epi8(of_[p][0], control_[p], s.x[0]);
#pragma GCC unroll 4
    for (int k = 1; k < Windows; ++k) x = _mm512_mask_permutexvar_epi8(x, of_[p][k], control_[p], s.x[k]);
    return x;
  }

 private:
  const i64 at_;
  Word control_[Orders];
  __mmask64 of_[Orders][Windows];
#else
  static constexpr int controls = Windows * Orders;

  ByteOrder(const int* offset, const signed char* control) : offset_(offset) {
#pragma GCC unroll 8
    for (int k = 0; k < controls; ++k) control_[k] = load(control + k * B);
  }
  Samples read(const char* row) const {
    Samples s;
#pragma GCC unroll 4
    for (int k = 0; k < Windows; ++k) s.x[k] = load_windows(row + 16 * k, offset_);
    return s;
  }
  Word take(const Samples& s, int p) const {
    Word x = shuffle(s.x[0], control_[p]);
#pragma GCC unroll 4
    for (int k = 1; k < Windows; ++k) x = bit_or(x, shuffle(s.x[k], control_[k * Orders + p]));
    return x;
  }

 private:
  const int* const offset_;
  Word control_[controls];
#endif
};

}  // namespace ndresize::NDRESIZE_ISA
#endif
