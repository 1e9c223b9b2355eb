// What a model file has as text: attributes by name, apart from HDF5, so that their parser can be tested
// alone.
#pragma once

#include <map>
#include <string>

#include "svrmu/io/model.hpp"

namespace svrmu::io {

using Texts = std::map<std::string, std::string>;

enum class Section { root, options, data, preprocessing, resume, numbers };

// The attributes of each section. All numbers are texts that read back as the same bits.
struct ModelTexts {
  Texts root;
  Texts options;
  Texts data;
  Texts preprocessing;
  bool can_resume = false;
  Texts resume;
  Texts numbers;  // of the solver's state
};

template <class Scalar>
ModelTexts to_texts(const Model<Scalar>& model);

// Refuses what is no model, and what a newer svrmu wrote.
void check_format(const std::string& name, const Texts& root);

// Sets what one attribute says, or throws InvalidInput. Attributes that are not known are left alone, but for
// options.
template <class Scalar>
void set_text(Model<Scalar>& model, Section section, const std::string& attribute, const std::string& text);

// Fills in all that is not a matrix or a list of numbers; steps of the preprocessing have no numbers yet.
// Throws InvalidData with `name` in front, the attribute, and what is wrong with it.
template <class Scalar>
void parse_texts(const std::string& name, const ModelTexts& texts, Model<Scalar>& model);

}  // namespace svrmu::io
