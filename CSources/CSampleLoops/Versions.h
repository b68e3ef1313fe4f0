// Includes a file of loops once for each version. The including file defines LOOPS as the name of that file.
//
// Vectors pass only between functions compiled for the same instructions and inlined, so the warning about passing them
// does not apply. Products are not fused with sums on any processor: the bits would differ.
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wpsabi"

typedef float Lanes __attribute__((vector_size(32)));
typedef Lanes LooseLanes __attribute__((aligned(4), may_alias));
typedef int Masks __attribute__((vector_size(32)));
typedef unsigned Words __attribute__((vector_size(32)));
typedef double Doubles __attribute__((vector_size(64)));
typedef Doubles LooseDoubles __attribute__((aligned(8), may_alias));

#define LANES(pointer) (*(const LooseLanes *)(pointer))
#define STORE(pointer, value) (*(LooseLanes *)(pointer) = (value))
#define DOUBLES(pointer) (*(const LooseDoubles *)(pointer))
#define HELPER static inline __attribute__((always_inline))

#define NAME(name) name##_plain
#include LOOPS
#undef NAME

#if defined(__x86_64__) && !defined(__AVX2__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define NAME(name) name##_wide
#include LOOPS
#undef NAME
#pragma clang attribute pop
// Not the processor alone decides, so that a test can compare both versions.
extern _Atomic _Bool loops_are_narrow;
#define IS_WIDE (__builtin_cpu_supports("avx2") && !__c11_atomic_load(&loops_are_narrow, __ATOMIC_RELAXED))
#define CALL(name, ...) (IS_WIDE ? name##_wide(__VA_ARGS__) : name##_plain(__VA_ARGS__))
#else
#define CALL(name, ...) name##_plain(__VA_ARGS__)
#endif
