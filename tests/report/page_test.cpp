#include "svrmu/report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "report/charts.hpp"
#include "report/text.hpp"

namespace svrmu::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// Names that would do harm if anything took them for more than text.
std::string hostile(std::size_t i) {
  static const std::vector<std::string> names = {
      "<script>alert(1)</script>",
      "</script><script>alert(2)</script>",
      "<img src=x onerror=alert(3)>",
      "\"><svg onload=alert(4)>",
      "' onclick='alert(5)",
      "</style>",
      "<!--",
      "]]>",
      "\x1b]0;owned\x07\x1b[2J",
      "\xe2\x80\xaegnp.exe",
      std::string("nul\0byte", 8),
      "\xff\xfe broken",
      "=HYPERLINK(\"http://example.org\")",
      std::string(5000, 'x'),
      "\n\r\n",
      "&lt;b&gt;",
  };
  return names[i % names.size()] + " " + std::to_string(i);
}

std::vector<double> many(std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(1 + std::sin(double(i)));
  return out;
}

// A page with every block, every text of it hostile, every list long.
Page hostile_page(std::size_t size) {
  Page page{.title = hostile(0), .subtitle = hostile(1)};
  Section section{.heading = hostile(2)};
  std::size_t next = 3;
  const auto name = [&] { return hostile(next++); };
  section.blocks.push_back(Paragraph{name()});
  section.blocks.push_back(Highlights{{{name(), name(), name()}}});
  Facts facts;
  for (int i = 0; i < 20; ++i) facts.lines.emplace_back(name(), name());
  section.blocks.push_back(facts);
  Table table{.name = name(), .caption = name(), .columns = {name(), name()}};
  BarCharts bars{.name = name(), .caption = name(), .note = name()};
  Spectra spectra{.name = name(), .caption = name(), .note = name(), .x_label = name()};
  Pictures pictures{.name = name(), .caption = name(), .note = name()};
  LineChart chart{.name = name(),
                  .caption = name(),
                  .note = name(),
                  .x_axes = {name(), name()},
                  .y_label = name(),
                  .log_y = true};
  HeatMap map{.name = name(),
              .caption = name(),
              .note = name(),
              .x_label = name(),
              .y_label = name(),
              .value_label = name(),
              .rows = Index(size),
              .columns = 50,
              .values = many(size * 50)};
  for (std::size_t i = 0; i < size; ++i) {
    table.rows.push_back({name(), double(i)});
    bars.charts.push_back({name(), {{name(), 1.0}, {name(), 0.5}}});
    spectra.charts.push_back({name(), many(40)});
    pictures.pictures.push_back({name(), 2, 2, {0, 1, 2, 3}});
    chart.series.push_back({name(), {many(5), many(5)}, many(5)});
    map.row_names.push_back(name());
  }
  const Histogram histogram{.name = name(),
                            .caption = name(),
                            .note = name(),
                            .x_label = name(),
                            .y_label = name(),
                            .values = many(99)};
  const Dots dots{.name = name(),
                  .caption = name(),
                  .note = name(),
                  .x_label = name(),
                  .y_label = name(),
                  .values = many(99)};
  const LineCharts charts{.caption = name(), .note = name(), .charts = {chart, chart}};
  const PicturePanels panels{
      .name = name(), .caption = name(), .note = name(), .panels = {pictures, pictures, pictures}};
  for (const Block& block : {Block(table), Block(bars), Block(spectra), Block(pictures), Block(panels),
                             Block(chart), Block(charts), Block(map), Block(histogram), Block(dots)})
    section.blocks.push_back(block);
  page.sections.push_back(section);
  return page;
}

// The page without its own scripts and styles: what came from data.
std::string body_of(const std::string& html) {
  const std::size_t from = html.find("<body>"), to = html.rfind("</footer>");
  return html.substr(from, to - from);
}

TEST(Html, HostileNamesAreTextEverywhere) {
  const std::string body = body_of(html(hostile_page(2000)));
  EXPECT_THAT(body, Not(HasSubstr("<script>")));
  EXPECT_THAT(body, Not(HasSubstr("<img src=x")));
  EXPECT_THAT(body, Not(HasSubstr("<svg onload")));
  EXPECT_THAT(body, Not(HasSubstr("' onclick")));
  EXPECT_THAT(body, Not(HasSubstr("</style>")));
  EXPECT_THAT(body, Not(HasSubstr("<!--")));
  EXPECT_THAT(body, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_TRUE(std::all_of(body.begin(), body.end(),
                          [](char c) { return static_cast<unsigned char>(c) >= 0x20 || c == '\n'; }));
  // Data for the script: one script element for each chart, closed once.
  int scripts = 0;
  for (std::size_t open = body.find("<script"); open != std::string::npos; ++scripts) {
    EXPECT_EQ(body.find("<script type=\"application/json\"", open), open);
    const std::size_t begin = body.find('>', open) + 1;
    EXPECT_THAT(body.substr(begin, body.find("</script>", begin) - begin), Not(HasSubstr("<")));
    open = body.find("<script", begin);
  }
  EXPECT_EQ(scripts, 3);
}

TEST(Html, TenThousandNamesStaySmall) { EXPECT_LT(html(hostile_page(10'000)).size(), 5'000'000u); }

TEST(Html, CarriesAPolicyThatNamesItsOwnScripts) {
  const std::string page = html({.title = "t"});
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  const std::size_t policy = page.find("Content-Security-Policy");
  const std::string text = page.substr(policy, page.find('>', policy) - policy);
  EXPECT_THAT(text, Not(HasSubstr("unsafe")));
  EXPECT_THAT(text, Not(HasSubstr("http")));
  EXPECT_THAT(page, HasSubstr("Permission is hereby granted, free of charge, to any person\n"));
  EXPECT_THAT(page, Not(HasSubstr("sourceMappingURL")));
}

TEST(Html, SaysWhatItDoesNotShow) {
  Page page{.sections = {{.heading = "all"}}};
  auto& blocks = page.sections[0].blocks;
  blocks.push_back(LineChart{.x_axes = {"x"}, .y_label = "y", .series = {{"a", {many(5000)}, many(5000)}}});
  blocks.push_back(Dots{.values = many(10'000)});
  blocks.push_back(HeatMap{.rows = 400, .columns = 3000, .values = many(400 * 3000)});
  Table table{.columns = {"n"}};
  for (int i = 0; i < 1000; ++i) table.rows.push_back({double(i)});
  blocks.push_back(table);
  BarCharts bars;
  for (int i = 0; i < 250; ++i) bars.charts.push_back({"c", {{"a", 1}}});
  blocks.push_back(bars);
  const std::string text = html(page);
  EXPECT_THAT(text, HasSubstr("Shown are 1000 of 5000 points"));
  EXPECT_THAT(text, HasSubstr("Each dot is the largest of 5 neighbors."));
  EXPECT_THAT(text, HasSubstr("Shown are 1000 of 3000 columns. Shown are 300 of 400 rows."));
  EXPECT_THAT(text, HasSubstr("Shown are 200 of 1000 rows."));
  EXPECT_THAT(text, HasSubstr("Shown are 100 of 250 charts."));
  EXPECT_LT(text.size(), 5'000'000u);
}

TEST(Html, LargestOfEverythingStaysBelowFiveMegabytes) {
  Page page{.sections = {{.heading = "all"}}};
  auto& blocks = page.sections[0].blocks;
  LineChart chart{.x_axes = {"a", "b", "c", "d"}, .y_label = "y"};
  Spectra spectra;
  Pictures pictures;
  const auto noise = [](std::size_t count, std::size_t seed) {
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i)
      out.push_back(std::fmod(double((i + seed) * 2654435761u % 1000003), 256));
    return out;
  };
  for (std::size_t i = 0; i < 500; ++i) spectra.charts.push_back({"component", noise(2000, i)});
  for (std::size_t i = 0; i < 120; ++i) pictures.pictures.push_back({"component", 256, 256, noise(65536, i)});
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> x = noise(20'000, i);
    chart.series.push_back({"run", {x, x, x, x}, x});
  }
  blocks = {chart, spectra, pictures, HeatMap{.rows = 500, .columns = 2000, .values = noise(1'000'000, 1)},
            Dots{.values = noise(100'000, 2)}};
  EXPECT_LT(html(page).size(), 5'000'000u);
}

TEST(Montage, PutsPanelsInLinesOfTwo) {
  const auto panel = [](double value) {
    return Pictures{.pictures = {{"", 1, 1, {value}}, {"", 1, 1, {value}}}, .per_line = 2, .most = 1};
  };
  const Raster one = montage(panel(1));
  const Raster all = montage(PicturePanels{.panels = {panel(1), panel(0.4), panel(0.8)}});
  EXPECT_EQ(all.columns, 2 * one.columns + 3 * 24);
  EXPECT_EQ(all.rows, 2 * one.rows + 3 * 24);
  // The pixel in the middle of the first picture of panel i.
  const auto shade = [&](Index i) {
    const Index row = 24 + i / 2 * (one.rows + 24) + one.rows / 2;
    const Index column = 24 + i % 2 * (one.columns + 24) + one.columns / 4;
    return static_cast<int>(all.pixels[static_cast<std::size_t>(row * all.columns + column)]);
  };
  EXPECT_EQ(shade(0), 0);
  EXPECT_EQ(shade(1), 153);
  EXPECT_EQ(shade(2), 51);
  EXPECT_EQ(shade(3), 255) << "no panel, paper";
}

TEST(Html, NothingToShowIsNoError) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Page page{.title = "", .sections = {{.heading = "empty"}}};
  page.sections[0].blocks = {
      Paragraph{},
      Highlights{},
      Facts{},
      Table{},
      LineChart{.x_axes = {"x"}},
      LineChart{.x_axes = {"x"}, .log_y = true, .series = {{"a", {{1, 2}}, {nan, -1}}}},
      Pictures{},
      Pictures{.pictures = {{"none", 0, 0, {}}}},
      LineCharts{},
      LineCharts{.charts = {{.x_axes = {"x"}}}},
      PicturePanels{},
      PicturePanels{.panels = {{}}},
      BarCharts{},
      BarCharts{.charts = {{"all nothing", {{"a", nan}, {"b", 0}}}, {"none", {}}}},
      Spectra{},
      Spectra{.charts = {{"one", {3}}, {"none", {}}, {"no number", {nan, nan}}}},
      HeatMap{},
      HeatMap{.rows = 1, .columns = 1, .values = {nan}},
      Histogram{},
      Histogram{.values = {nan, 2, 2}},
      Dots{},
      Dots{.values = {nan}}};
  const std::string text = body_of(html(page));
  for (const char* broken : {"\"nan", ">nan", " nan", ",nan", "\"-nan", "\"inf", ">inf", "\"-inf"})
    EXPECT_THAT(text, Not(HasSubstr(broken)));
  EXPECT_FALSE(figures(page).empty());
}

TEST(Figures, HaveSafeNamesThatDiffer) {
  std::vector<std::string> names;
  for (const FigureFile& file : figures(hostile_page(3))) {
    EXPECT_EQ(file.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-."),
              std::string::npos)
        << file.name;
    EXPECT_EQ(file.name.find(".."), std::string::npos);
    EXPECT_FALSE(file.bytes.empty());
    names.push_back(file.name);
  }
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_THAT(figures({.sections = {{.heading = "", .blocks = {Dots{.name = "a"}, Dots{.name = "a"}}}}}),
              testing::ElementsAre(testing::Field(&FigureFile::name, "a.svg"),
                                   testing::Field(&FigureFile::name, "a-2.svg")));
}

TEST(Pictures, PixelsGoColumnByColumn) {
  const Raster raster = raster_of({"", 2, 3, {0, 1, 0, 0, 0, 0.5}}, 0, 100);
  EXPECT_EQ(raster.rows, 2);
  EXPECT_EQ(raster.columns, 3);
  EXPECT_THAT(raster.pixels, testing::ElementsAre(255, 255, 255, 0, 255, 128));
}

TEST(Pictures, LargeOnesAreShrunk) {
  Picture picture{"", 300, 200, std::vector<double>(60'000, 1.0)};
  const Raster raster = raster_of(picture, 2, 128);
  EXPECT_EQ(raster.rows, 100);
  EXPECT_EQ(raster.columns, 67);
  EXPECT_THAT(raster.pixels, testing::Each(128));
}

}  // namespace
}  // namespace svrmu::report
