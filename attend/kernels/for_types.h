// What joins a kernel that is a template over float and double to Highway's dispatch, which takes
// plain names alone.
#pragma once

// Between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE: BodyF32 and BodyF64.
#define ATTEND_FOR_TYPES(Body)                    \
  static constexpr auto& Body##F32 = Body<float>; \
  static constexpr auto& Body##F64 = Body<double>

// Under HWY_ONCE: their tables, for HWY_DYNAMIC_DISPATCH.
#define ATTEND_EXPORT(Body) \
  HWY_EXPORT(Body##F32);    \
  HWY_EXPORT(Body##F64)

// The tables, and `name`, which takes a struct over the type, for callers.
#define ATTEND_DISPATCH(Result, name, Body, Struct)                                   \
  ATTEND_EXPORT(Body);                                                                \
  Result name(const Struct<float>& p) { return HWY_DYNAMIC_DISPATCH(Body##F32)(p); }  \
  Result name(const Struct<double>& p) { return HWY_DYNAMIC_DISPATCH(Body##F64)(p); } \
  static_assert(true) /* for the semicolon */
