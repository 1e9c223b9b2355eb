/// @file
/// A page to read (target svrmu::report): data in, one self-contained HTML file out. A page is sections, a
/// section is blocks; html() shows them, figures() saves them. Every text is untrusted and shown as text.
/// What is too large is sampled, and the page says so. The caption of a figure is shown boldly, its note
/// under it.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"

/// Reports as HTML pages, with their figures.
namespace svrmu::report {

/// A paragraph of text.
struct Paragraph {
  std::string text{};  ///< plain text
};

/// The few numbers that matter most, large.
struct Highlights {
  /// One of them.
  struct Number {
    std::string label{};  ///< what it is
    std::string value{};  ///< as it is shown
    std::string note{};   ///< under it, small; may be empty
  };
  std::vector<Number> numbers{};  ///< from left to right
};

/// What was done: a name and its value per line.
struct Facts {
  std::vector<std::pair<std::string, std::string>> lines{};  ///< names and values
};

/// A cell of a table: numbers are aligned to the right.
using Cell = std::variant<std::string, double>;

/// A table.
struct Table {
  std::string name{};                     ///< of its file: "components" is saved as components.csv
  std::string caption{};                  ///< above it
  std::vector<std::string> columns{};     ///< their heads
  std::vector<std::vector<Cell>> rows{};  ///< each as long as `columns`
  bool folded = false;                    ///< closed until somebody opens it
};

/// Curves that can be zoomed and hovered, over a choice of x axes.
struct LineChart {
  /// One curve.
  struct Series {
    std::string name{};                    ///< in the legend
    std::vector<std::vector<double>> x{};  ///< one list for each x axis, each as long as y
    std::vector<double> y{};               ///< what is not finite is left out
  };
  std::string name{};                 ///< "objective" is saved as objective.svg
  std::string caption{};              ///< what it shows
  std::string note{};                 ///< under the caption; may be empty
  std::vector<std::string> x_axes{};  ///< their labels; the first is shown first
  std::string y_label{};              ///< what the height is
  bool log_y = false;                 ///< logarithmic height
  std::vector<Series> series{};       ///< the curves
};

/// Charts that belong together, side by side.
struct LineCharts {
  std::string caption{};            ///< what they show
  std::string note{};               ///< under the caption; may be empty
  std::vector<LineChart> charts{};  ///< from left to right; each is saved as a file of its own
};

/// Gray values, the least white and the most black (the other way round in the dark).
struct Picture {
  std::string caption{};         ///< under it
  Index rows = 0;                ///< its height
  Index columns = 0;             ///< its width
  std::vector<double> pixels{};  ///< column by column
};

/// Pictures side by side.
struct Pictures {
  std::string name{};               ///< all of them together are saved as one picture, name.png
  std::string caption{};            ///< what they show
  std::string note{};               ///< under the caption; may be empty
  std::vector<Picture> pictures{};  ///< in their order
  Index per_line = 0;               ///< pictures in each line; 0: as many as there is room for
  double most = 0;                  ///< the value of black, for all of them; 0: the largest of each
};

/// Pictures in panels, two side by side.
struct PicturePanels {
  std::string name{};     ///< all of them together are saved as name.png, and with captions as name.svg
  std::string caption{};  ///< what they show
  std::string note{};     ///< under the caption; may be empty
  std::vector<Pictures> panels{};  ///< in their order
};

/// Horizontal bars, several charts side by side.
struct BarCharts {
  /// One of the charts.
  struct Chart {
    std::string title{};                                 ///< above it
    std::vector<std::pair<std::string, double>> bars{};  ///< names and lengths
  };
  std::string name{};           ///< of its file
  std::string caption{};        ///< what they show
  std::string note{};           ///< under the caption; may be empty
  std::vector<Chart> charts{};  ///< in their order
};

/// Small curves over one common x, several charts side by side.
struct Spectra {
  /// One of the charts.
  struct Chart {
    std::string title{};      ///< above it
    std::vector<double> y{};  ///< heights
  };
  std::string name{};           ///< of its file
  std::string caption{};        ///< what they show
  std::string note{};           ///< under the caption; may be empty
  std::string x_label{};        ///< what the width is
  std::vector<double> x{};      ///< empty: 1, 2, 3, ...
  std::vector<Chart> charts{};  ///< in their order
};

/// Values of a grid as colors.
struct HeatMap {
  std::string name{};                    ///< of its file
  std::string caption{};                 ///< what it shows
  std::string note{};                    ///< under the caption; may be empty
  std::string x_label{};                 ///< what the columns are
  std::string y_label{};                 ///< what the rows are
  std::string value_label{};             ///< what the values are
  Index rows = 0;                        ///< height of the grid
  Index columns = 0;                     ///< width of the grid
  std::vector<double> values{};          ///< row by row
  std::vector<std::string> row_names{};  ///< empty: 1, 2, 3, ...
  double most = 0;                       ///< the value of the darkest color; 0: the largest
  bool square = false;                   ///< cells as high as wide
};

/// How often values occur.
struct Histogram {
  std::string name{};            ///< of its file
  std::string caption{};         ///< what it shows
  std::string note{};            ///< under the caption; may be empty
  std::string x_label{};         ///< what the values are
  std::string y_label{};         ///< what is counted
  std::vector<double> values{};  ///< in any order
};

/// One dot for each value, in their order.
struct Dots {
  std::string name{};            ///< of its file
  std::string caption{};         ///< what it shows
  std::string note{};            ///< under the caption; may be empty
  std::string x_label{};         ///< what is numbered from left to right
  std::string y_label{};         ///< what the values are
  std::vector<double> values{};  ///< from left to right
};

/// What a section is made of.
using Block = std::variant<Paragraph, Highlights, Facts, Table, LineChart, LineCharts, Pictures,
                           PicturePanels, BarCharts, Spectra, HeatMap, Histogram, Dots>;

/// A heading and what stands below it.
struct Section {
  std::string heading{};        ///< also in the list of contents
  std::vector<Block> blocks{};  ///< from top to bottom
};

/// All of a report.
struct Page {
  std::string title{};              ///< of the page and of its window
  std::string subtitle{};           ///< may be empty
  std::vector<Section> sections{};  ///< from top to bottom
};

/// The whole file: styles, scripts and pictures are inside, nothing is loaded from anywhere.
SVRMU_API std::string html(const Page& page);

/// A figure or a table as a file of its own.
struct FigureFile {
  std::string name{};   ///< with its ending
  std::string bytes{};  ///< what the file holds
};

/// Charts as SVG, pictures as PNG, tables as CSV. Names that occur twice get a number.
SVRMU_API std::vector<FigureFile> figures(const Page& page);

/// A table for spreadsheets: a text that one would take for a formula begins with an apostrophe.
SVRMU_API std::string csv(const Table& table);

/// A number as pages show it, "0.1234", "1.5e-7", "12,345": four significant digits, whole numbers in full.
SVRMU_API std::string number(double value);

}  // namespace svrmu::report
