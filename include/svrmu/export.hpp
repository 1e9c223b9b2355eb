/// @file
/// SVRMU_API: what a shared library of svrmu exports.
#pragma once

/// Stands before every function that a public header declares without a body, and before every class that is
/// derived from or thrown. Everything else stays inside the library: docs/decisions/0012-visibility.md.
#if defined(__GNUC__) || defined(__clang__)
#define SVRMU_API __attribute__((visibility("default")))
#else
#define SVRMU_API
#endif
