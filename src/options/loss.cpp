#include "svrmu/loss.hpp"

#include "options/parse.hpp"
#include "text/text.hpp"

namespace svrmu {

Loss parse_loss(std::string_view text) {
  if (text == "frobenius") return Loss::frobenius();
  if (text == "kl") return Loss::kullback_leibler();
  if (text == "is") return Loss::itakura_saito();
  if (text.starts_with("beta:"))
    return Loss::beta_divergence(parse_number(text.substr(5), "beta of the loss"));
  throw InvalidInput("there is no loss '" + std::string(text) + "'; choose frobenius, kl, is or beta:X");
}

std::string to_string(const Loss& loss) {
  if (loss.beta == 2) return "frobenius";
  if (loss.beta == 1) return "kl";
  if (loss.beta == 0) return "is";
  return "beta:" + number_text(loss.beta);
}

}  // namespace svrmu
