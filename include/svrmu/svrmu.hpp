/// @file
/// Nonnegative matrix factorization V ~ WH: the whole core in one include.
#pragma once

#include "svrmu/choose.hpp"
#include "svrmu/error.hpp"
#include "svrmu/export.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/generate.hpp"
#include "svrmu/history.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/options.hpp"
#include "svrmu/penalties.hpp"
#include "svrmu/plan.hpp"
#include "svrmu/solvers.hpp"
#include "svrmu/source.hpp"
#include "svrmu/stopping.hpp"
#include "svrmu/stream.hpp"
#include "svrmu/team.hpp"
#include "svrmu/update.hpp"
