// The widest integer vectors of AVX2 and AVX-512, by one name for each operation.
#pragma once
#include "fixed_store.hpp"

#if defined(__AVX2__)
namespace ndresize::NDRESIZE_ISA {

#if defined(__AVX512BW__)
using Word = __m512i;
inline Word zero() { return _mm512_setzero_si512(); }
inline Word load(const void* p) { return _mm512_loadu_si512(p); }
inline void store(void* p, Word x) { _mm512_storeu_si512(p, x); }
inline void store_past(void* p, Word x) { _mm512_stream_si512(static_cast<__m512i*>(p), x); }
inline Word bytes_low(Word a, Word b) { return _mm512_unpacklo_epi8(a, b); }
inline Word bytes_high(Word a, Word b) { return _mm512_unpackhi_epi8(a, b); }
inline Word words_low(Word a, Word b) { return _mm512_unpacklo_epi16(a, b); }
inline Word words_high(Word a, Word b) { return _mm512_unpackhi_epi16(a, b); }
inline Word quads_low(Word a, Word b) { return _mm512_unpacklo_epi32(a, b); }
inline Word quads_high(Word a, Word b) { return _mm512_unpackhi_epi32(a, b); }
inline Word pairs_low(Word a, Word b) { return _mm512_unpacklo_epi64(a, b); }
inline Word pairs_high(Word a, Word b) { return _mm512_unpackhi_epi64(a, b); }
inline Word pairs(Word a, Word w) { return _mm512_madd_epi16(a, w); }
inline Word byte_pairs(Word a, Word w) { return _mm512_maddubs_epi16(a, w); }
inline Word product(Word a, Word b) { return _mm512_mullo_epi32(a, b); }
inline Word word_product(Word a, Word b) { return _mm512_mullo_epi16(a, b); }
inline Word high_product(Word a, Word b) { return _mm512_mulhi_epi16(a, b); }
inline Word near_product(Word a, Word b) { return _mm512_mulhrs_epi16(a, b); }  // (a * b + 2**14) >> 15
inline Word add(Word a, Word b) { return _mm512_add_epi32(a, b); }
inline Word less(Word a, Word b) {  // -1 where it is
  return _mm512_maskz_set1_epi32(_mm512_cmplt_epi32_mask(a, b), -1);
}
inline Word add_words(Word a, Word b) { return _mm512_add_epi16(a, b); }
inline Word take_words(Word a, Word b) { return _mm512_sub_epi16(a, b); }
inline Word splat(std::int32_t x) { return _mm512_set1_epi32(x); }
inline Word splat_word(std::int16_t x) { return _mm512_set1_epi16(x); }
inline Word bit_and(Word a, Word b) { return _mm512_and_si512(a, b); }
inline Word bit_or(Word a, Word b) { return _mm512_or_si512(a, b); }
inline Word and_not(Word a, Word b) { return _mm512_andnot_si512(a, b); }  // of a
template <int N> inline Word left(Word a) { return _mm512_slli_epi32(a, N); }
inline Word high_bytes(Word a) { return _mm512_srli_epi16(a, 8); }  // of words
inline Word right(Word a, __m128i n) { return _mm512_sra_epi32(a, n); }
inline Word right_words(Word a, __m128i n) { return _mm512_sra_epi16(a, n); }
inline Word scaled(Word a, float x) {  // to float32, multiplied, and rounded, ties to even
  return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(a), _mm512_set1_ps(x)));
}
inline Word cut_quotient(Word a, Word b) {  // of bytes, of 255 times the first; at most 255
  const auto times = _mm512_mul_ps(_mm512_cvtepi32_ps(a), _mm512_set1_ps(255));
  return _mm512_min_epi32(_mm512_cvttps_epi32(_mm512_div_ps(times, _mm512_cvtepi32_ps(b))), _mm512_set1_epi32(255));
}
inline Word to_words(Word a, Word b) { return _mm512_packs_epi32(a, b); }
inline Word to_bytes(Word a, Word b) { return _mm512_packus_epi16(a, b); }
inline Word shuffle(Word a, Word control) { return _mm512_shuffle_epi8(a, control); }
inline Word spread(__m128i x) { return _mm512_broadcast_i32x4(x); }
inline Word odd_even(Word a, Word b) {  // per 128 bits, sums of neighbours: a01 a23 b01 b23
  const __m512 x = _mm512_castsi512_ps(a), y = _mm512_castsi512_ps(b);
  return add(_mm512_castps_si512(_mm512_shuffle_ps(x, y, 0x88)),
             _mm512_castps_si512(_mm512_shuffle_ps(x, y, 0xdd)));
}
// Masked broadcasts from memory: insertions would all wait for the one port that shuffles.
inline Word four(__m128i a, __m128i b, __m128i c, __m128i d) {
  Word x = _mm512_castsi128_si512(a);
  x = _mm512_mask_broadcast_i32x4(x, 0x00f0, b);
  x = _mm512_mask_broadcast_i32x4(x, 0x0f00, c);
  return _mm512_mask_broadcast_i32x4(x, 0xf000, d);
}
// 16 bytes of each of four rows; from four places of one.
inline Word load_rows(const std::uint8_t* const* rows, i64 at) {
  const auto part = [&](int r) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[r] + at)); };
  return four(part(0), part(1), part(2), part(3));
}
inline Word load_windows(const char* row, const int* offset) {
  const auto part = [&](int r) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + offset[r])); };
  return four(part(0), part(1), part(2), part(3));
}
template <int R> inline __m128i row_part(Word x) { return _mm512_extracti32x4_epi32(x, R); }
// What packing within each 128 bits leaves in order of lanes becomes the order of memory.
inline Word unlace_bytes(Word x) {
  return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), x);
}
// Twelve bytes of each 128 bits, side by side.
inline Word close_twelves(Word x) {
  return _mm512_permutexvar_epi32(
      _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15), x);
}
inline Word unlace_quads(Word x) {
  return _mm512_permutexvar_epi32(
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x);
}
#else
using Word = __m256i;
inline Word zero() { return _mm256_setzero_si256(); }
inline Word load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
inline void store(void* p, Word x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }
inline void store_past(void* p, Word x) { _mm256_stream_si256(static_cast<__m256i*>(p), x); }
inline Word bytes_low(Word a, Word b) { return _mm256_unpacklo_epi8(a, b); }
inline Word bytes_high(Word a, Word b) { return _mm256_unpackhi_epi8(a, b); }
inline Word words_low(Word a, Word b) { return _mm256_unpacklo_epi16(a, b); }
inline Word words_high(Word a, Word b) { return _mm256_unpackhi_epi16(a, b); }
inline Word quads_low(Word a, Word b) { return _mm256_unpacklo_epi32(a, b); }
inline Word quads_high(Word a, Word b) { return _mm256_unpackhi_epi32(a, b); }
inline Word pairs_low(Word a, Word b) { return _mm256_unpacklo_epi64(a, b); }
inline Word pairs_high(Word a, Word b) { return _mm256_unpackhi_epi64(a, b); }
inline Word pairs(Word a, Word w) { return _mm256_madd_epi16(a, w); }
inline Word byte_pairs(Word a, Word w) { return _mm256_maddubs_epi16(a, w); }
inline Word product(Word a, Word b) { return _mm256_mullo_epi32(a, b); }
inline Word word_product(Word a, Word b) { return _mm256_mullo_epi16(a, b); }
inline Word high_product(Word a, Word b) { return _mm256_mulhi_epi16(a, b); }
inline Word near_product(Word a, Word b) { return _mm256_mulhrs_epi16(a, b); }  // (a * b + 2**14) >> 15
inline Word add(Word a, Word b) { return _mm256_add_epi32(a, b); }
inline Word less(Word a, Word b) { return _mm256_cmpgt_epi32(b, a); }  // -1 where it is
inline Word add_words(Word a, Word b) { return _mm256_add_epi16(a, b); }
inline Word take_words(Word a, Word b) { return _mm256_sub_epi16(a, b); }
inline Word splat(std::int32_t x) { return _mm256_set1_epi32(x); }
inline Word splat_word(std::int16_t x) { return _mm256_set1_epi16(x); }
inline Word bit_and(Word a, Word b) { return _mm256_and_si256(a, b); }
inline Word bit_or(Word a, Word b) { return _mm256_or_si256(a, b); }
inline Word and_not(Word a, Word b) { return _mm256_andnot_si256(a, b); }
template <int N> inline Word left(Word a) { return _mm256_slli_epi32(a, N); }
inline Word high_bytes(Word a) { return _mm256_srli_epi16(a, 8); }  // of words
inline Word right(Word a, __m128i n) { return _mm256_sra_epi32(a, n); }
inline Word right_words(Word a, __m128i n) { return _mm256_sra_epi16(a, n); }
inline Word scaled(Word a, float x) {
  return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(a), _mm256_set1_ps(x)));
}
inline Word cut_quotient(Word a, Word b) {  // of bytes, of 255 times the first; at most 255
  const auto times = _mm256_mul_ps(_mm256_cvtepi32_ps(a), _mm256_set1_ps(255));
  return _mm256_min_epi32(_mm256_cvttps_epi32(_mm256_div_ps(times, _mm256_cvtepi32_ps(b))), _mm256_set1_epi32(255));
}
inline Word to_words(Word a, Word b) { return _mm256_packs_epi32(a, b); }
inline Word to_bytes(Word a, Word b) { return _mm256_packus_epi16(a, b); }
inline Word shuffle(Word a, Word control) { return _mm256_shuffle_epi8(a, control); }
inline Word spread(__m128i x) { return _mm256_broadcastsi128_si256(x); }
inline Word odd_even(Word a, Word b) { return _mm256_hadd_epi32(a, b); }
inline Word load_rows(const std::uint8_t* const* rows, i64 at) {
  const auto part = [&](int r) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[r] + at)); };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
}
inline Word load_windows(const char* row, const int* offset) {
  const auto part = [&](int r) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + offset[r])); };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
}
template <int R> inline __m128i row_part(Word x) { return _mm256_extracti128_si256(x, R); }
inline Word unlace_bytes(Word x) { return _mm256_permute4x64_epi64(x, 0xd8); }
inline Word close_twelves(Word x) {
  return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
}
inline Word unlace_quads(Word x) {
  return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
#endif

constexpr int B = sizeof(Word);  // bytes of a vector

// A rounding shift of sums, with its constants in registers.
struct Rounder {
  explicit Rounder(const FixedStore& s)
      : half(splat(s.half)), one(splat(1)), split(splat(s.split)), below(splat(s.below)),
        shift(_mm_cvtsi32_si128(s.shift)), even(s.half_even), signed_bytes(s.split != INT32_MIN),
        scale(s.scale) {}
  Word operator()(Word sum) const {
    if (scale != 0) return scaled(sum, scale);
    if (even) sum = add(sum, bit_and(right(sum, shift), one));
    if (signed_bytes) sum = add(sum, bit_and(less(sum, split), below));
    return right(add(sum, half), shift);
  }
  Word half, one, split, below;
  __m128i shift;
  bool even, signed_bytes;
  float scale;
};

// The same of small sums, in words.
enum class Ties { none, up, even };  // none: towards minus infinity

template <Ties T>
struct SmallRounder {
  explicit SmallRounder(int bits)
      : one(splat_word(1)), factor(splat_word(static_cast<std::int16_t>(1 << (15 - bits)))),
        shift(_mm_cvtsi32_si128(bits)) {}
  Word operator()(Word sum) const {
    if constexpr (T == Ties::none) return right_words(sum, shift);
    if constexpr (T == Ties::even) sum = take_words(sum, and_not(right_words(sum, shift), one));
    return near_product(sum, factor);
  }
  Word one, factor;
  __m128i shift;
};

template <class Use>
inline void with_small_rounder(const FixedStore& s, Use use) {
  if (s.half == 0 && !s.half_even) use(SmallRounder<Ties::none>(s.shift));
  else if (s.half_even) use(SmallRounder<Ties::even>(s.shift));
  else use(SmallRounder<Ties::up>(s.shift));
}

}  // namespace ndresize::NDRESIZE_ISA
#endif
