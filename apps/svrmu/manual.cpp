// svrmu manual: the man page, from the program's own flags.
#include <iostream>
#include <map>

#include "commands.hpp"
#include "errors.hpp"
#include "version.hpp"

namespace svrmu::cli {
namespace {

std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'' && (out.empty() || out.back() == '\n'))
      out += "\\(aq";
    else if (c == '.' && (out.empty() || out.back() == '\n'))
      out += "\\&.";
    else
      out += c;
  }
  return out;
}

void print_options(const CLI::App& app) {
  std::map<std::string, std::vector<const CLI::Option*>> groups;
  std::vector<std::string> order;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    auto& group = groups[option->get_group()];
    if (group.empty()) order.push_back(option->get_group());
    group.push_back(option);
  }
  for (const std::string& name : order) {
    if (order.size() > 1) std::cout << ".PP\n" << roff(name) << ":\n";
    for (const CLI::Option* option : groups[name]) {
      const std::string type = option->get_type_name();
      std::cout << ".TP\n\\fB" << roff(option->get_name(false, true)) << "\\fR";
      if (option->get_items_expected_max() > 0)
        std::cout << " \\fI" << roff(type.substr(0, type.find(':'))) << "\\fR";
      std::cout << "\n" << roff(option->get_description()) << "\n";
    }
  }
}

void print_manual(const CLI::App& program) {
  std::cout << ".TH SVRMU 1 \"\" \"svrmu " << SVRMU_VERSION << "\" \"User Commands\"\n"
            << ".SH NAME\nsvrmu \\- nonnegative matrix factorization\n"
            << ".SH SYNOPSIS\n.B svrmu\n.I COMMAND\n[\\fIARGUMENTS\\fR]\n"
            << ".SH DESCRIPTION\n"
            << roff(
                   "Splits a nonnegative matrix V (features x samples) into two small nonnegative factors, V "
                   "~ WH, with batch, "
                   "stochastic and variance-reduced updates. Messages go to standard error, data to standard "
                   "output.\n")
            << ".SH COMMANDS\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    std::cout << ".SS svrmu " << command->get_name();
    for (const CLI::Option* option : command->get_options())
      if (option->get_positional()) std::cout << " " << roff(option->get_name(true));
    std::cout << "\n.nf\n" << roff(command->get_description()) << ".fi\n";
    print_options(*command);
  }
  std::cout << ".SH FILES\n"
            << roff(
                   "Read: .npy, .npz, .mtx, .csv, .tsv (the last three also .gz), .mat (5 and 7.3), .h5 and "
                   ".hdf5, .h5ad, 10x .h5 files and "
                   "folders, folders of PGM or PNG images. A member is named after a colon: counts.npz:key, "
                   "cells.h5ad:layers/raw.\n"
                   "Written: .npy, .csv, .tsv, .mtx, and models as HDF5.\n")
            << ".SH EXIT STATUS\n"
               ".TP\n0\ndone\n.TP\n1\ninternal error\n.TP\n2\nthe command line, or options that do not fit "
               "each other or the data\n"
               ".TP\n3\nbad input: what is in a file makes no sense or cannot be factorized\n"
               ".TP\n4\na file cannot be read or written, or exists already\n"
               ".TP\n5\nnumerical failure; the last good factors are saved\n.TP\n6\nout of memory, or over a "
               "limit\n"
               ".TP\n130\ninterrupted; what there was is saved if a fit was running\n"
            << ".SH ENVIRONMENT\n.TP\nNO_COLOR\nno color, if set and not empty\n"
               ".TP\nTMPDIR\nwhere streams are kept while they are read or written\n"
               ".TP\nOMP_NUM_THREADS\nmost threads, unless \\-\\-threads is given\n";
}

}  // namespace

Run add_manual(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("manual", "The manual as a man page");
  app.description(
      "Print the manual as a man page.\n\n"
      "Examples:\n"
      "  svrmu manual | man -l -\n");
  return [&program] {
    print_manual(program);
    return int{done};
  };
}

}  // namespace svrmu::cli
