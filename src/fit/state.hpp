// A solver's state, copied into a checkpoint and back.
#pragma once

#include <string>
#include <utility>

#include "linalg/copies.hpp"
#include "solvers/solver.hpp"
#include "svrmu/error.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

template <class Scalar>
class CopyOut final : public StateVisitor<Scalar> {
 public:
  explicit CopyOut(Checkpoint<Scalar>& to) : to_(to) {}
  void operator()(const std::string& name, Matrix<Scalar>& matrix) override {
    assign(to_.matrices[name], matrix);
  }
  void operator()(const std::string& name, RowMatrix<Scalar>& matrix) override {
    assign(to_.matrices[name], matrix);
  }
  void operator()(const std::string& name, double& number) override { to_.numbers[name] = number; }
  void operator()(const std::string& name, Index& number) override {
    to_.numbers[name] = static_cast<double>(number);
  }

 private:
  Checkpoint<Scalar>& to_;
};

// For a solver that is used no more: what is stored alike is moved.
template <class Scalar>
class MoveOut final : public StateVisitor<Scalar> {
 public:
  explicit MoveOut(Checkpoint<Scalar>& to) : to_(to), copy_(to) {}
  void operator()(const std::string& name, Matrix<Scalar>& matrix) override {
    to_.matrices[name] = std::move(matrix);
  }
  void operator()(const std::string& name, RowMatrix<Scalar>& matrix) override { copy_(name, matrix); }
  void operator()(const std::string& name, double& number) override { copy_(name, number); }
  void operator()(const std::string& name, Index& number) override { copy_(name, number); }

 private:
  Checkpoint<Scalar>& to_;
  CopyOut<Scalar> copy_;
};

template <class Scalar>
class CopyIn final : public StateVisitor<Scalar> {
 public:
  explicit CopyIn(const Checkpoint<Scalar>& from) : from_(from) {}
  void operator()(const std::string& name, Matrix<Scalar>& matrix) override {
    matrix = found(from_.matrices, name);
  }
  void operator()(const std::string& name, RowMatrix<Scalar>& matrix) override {
    matrix = found(from_.matrices, name);
  }
  void operator()(const std::string& name, double& number) override { number = found(from_.numbers, name); }
  void operator()(const std::string& name, Index& number) override {
    number = static_cast<Index>(found(from_.numbers, name));
  }

 private:
  template <class Map>
  static const auto& found(const Map& map, const std::string& name) {
    const auto entry = map.find(name);
    if (entry == map.end())
      throw InvalidInput("the result to go on from lacks the state '" + name + "' of its solver");
    return entry->second;
  }

  const Checkpoint<Scalar>& from_;
};

}  // namespace svrmu
