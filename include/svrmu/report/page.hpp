// A page for people (target svrmu::report): data in, one self-contained HTML file out. A page is sections, a
// section is blocks; html() shows them, figures() saves them. Every text is untrusted and shown as text.
// What is too large is sampled, and the page says so. The caption of a figure is shown boldly, its note under
// it.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu::report {

struct Paragraph {
  std::string text{};
};

// The few numbers that matter most, large.
struct Highlights {
  struct Number {
    std::string label{};
    std::string value{};
    std::string note{};
  };
  std::vector<Number> numbers{};
};

// What was done: a name and its value per line.
struct Facts {
  std::vector<std::pair<std::string, std::string>> lines{};
};

using Cell = std::variant<std::string, double>;

struct Table {
  std::string name{};  // of its file: "components" is saved as components.csv
  std::string caption{};
  std::vector<std::string> columns{};
  std::vector<std::vector<Cell>> rows{};
  bool folded = false;  // closed until somebody opens it
};

// Curves that can be zoomed and hovered, over a choice of x axes.
struct LineChart {
  struct Series {
    std::string name{};
    std::vector<std::vector<double>> x{};  // one list for each x axis, each as long as y
    std::vector<double> y{};               // what is not finite is left out
  };
  std::string name{};  // "objective" is saved as objective.svg
  std::string caption{};
  std::string note{};
  std::vector<std::string> x_axes{};  // the first is shown first
  std::string y_label{};
  bool log_y = false;
  std::vector<Series> series{};
};

// Gray values, the least white and the most black (the other way round in the dark).
struct Picture {
  std::string caption{};
  Index rows = 0;
  Index columns = 0;
  std::vector<double> pixels{};  // column by column
};

struct Pictures {
  std::string name{};  // all of them together are saved as one picture, name.png
  std::string caption{};
  std::string note{};
  std::vector<Picture> pictures{};
  Index per_line = 0;  // pictures in each line; 0: as many as there is room for
  double most = 0;     // the value of black, for all of them; 0: the largest of each
};

// Horizontal bars, several charts side by side.
struct BarCharts {
  struct Chart {
    std::string title{};
    std::vector<std::pair<std::string, double>> bars{};
  };
  std::string name{};
  std::string caption{};
  std::string note{};
  std::vector<Chart> charts{};
};

// Small curves over one common x, several charts side by side.
struct Spectra {
  struct Chart {
    std::string title{};
    std::vector<double> y{};
  };
  std::string name{};
  std::string caption{};
  std::string note{};
  std::string x_label{};
  std::vector<double> x{};  // empty: 1, 2, 3, ...
  std::vector<Chart> charts{};
};

struct HeatMap {
  std::string name{};
  std::string caption{};
  std::string note{};
  std::string x_label{}, y_label{}, value_label{};
  Index rows = 0;
  Index columns = 0;
  std::vector<double> values{};          // row by row
  std::vector<std::string> row_names{};  // empty: 1, 2, 3, ...
  double most = 0;                       // the value of the darkest colour; 0: the largest
  bool square = false;                   // cells as high as wide
};

// How often values occur.
struct Histogram {
  std::string name{};
  std::string caption{};
  std::string note{};
  std::string x_label{}, y_label{};
  std::vector<double> values{};
};

// One dot for each value, in their order.
struct Dots {
  std::string name{};
  std::string caption{};
  std::string note{};
  std::string x_label{}, y_label{};
  std::vector<double> values{};
};

using Block = std::variant<Paragraph, Highlights, Facts, Table, LineChart, Pictures, BarCharts, Spectra,
                           HeatMap, Histogram, Dots>;

struct Section {
  std::string heading{};
  std::vector<Block> blocks{};
};

struct Page {
  std::string title{};
  std::string subtitle{};
  std::vector<Section> sections{};
};

// The whole file: styles, scripts and pictures are inside, nothing is loaded from anywhere.
SVRMU_API std::string html(const Page& page);

struct FigureFile {
  std::string name{};  // with its ending
  std::string bytes{};
};

// Charts as SVG, pictures as PNG, tables as CSV. Names that occur twice get a number.
SVRMU_API std::vector<FigureFile> figures(const Page& page);

// For spreadsheets: a text that one would take for a formula begins with an apostrophe.
SVRMU_API std::string csv(const Table& table);

// "0.1234", "1.5e-7", "12,345": four significant digits, whole numbers in full.
SVRMU_API std::string number(double value);

}  // namespace svrmu::report
