// What a browser makes of svrmu's reports. run.sh calls this; SVRMU is the program, CHROMIUM the browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "svrmu-browser-"));
const svrmu = (...words) => execFileSync(process.env.SVRMU, [...words, "-q"], { cwd: folder });
let browser;

// Names that would do harm if anything took them for more than text.
const hostile = [
  "<script>window.harmed = 1</script>", "</script><script>window.harmed = 2</script>", "<img src=x onerror=window.harmed=3>",
  "\"><svg onload=window.harmed=4>", "' onmouseover='window.harmed=5", "</style><script>window.harmed=6</script>",
  "<!--", "]]>", "&lt;script&gt;", "&#60;script&#62;", "{{constructor.constructor('window.harmed=7')()}}", "javascript:window.harmed=8",
  "\u001b]0;title\u0007\u001b[31mred\u001b[2J", "\u0001\u0002\u007f", "\u202egnp.exe\u202c", "\u2066\u2067isolated", "\ufeffmark\u200b",
  "مرحبا بالعالم", "漢字".repeat(60), "x".repeat(5000), "W".repeat(300), "z" + "\u0335\u0321\u0345".repeat(200), "=1+1|cmd", "\u2028line\u2029", "${window.harmed=9}",
  "a\nb\r\nc", "\t", "\\u003cscript\\u003e", "👩‍👩‍👧‍👦".repeat(30), "﷽".repeat(40),
];

function writeHostile(features, samples) {
  const cell = (text) => `"${text.replaceAll('"', '""')}"`;
  const name = (i) => cell(`${hostile[i % hostile.length]} ${i}`);
  const lines = ["," + Array.from({ length: samples }, (_, j) => name(j)).join(",")];
  for (let i = 0; i < features; ++i) {
    const values = Array.from({ length: samples }, (_, j) => ((i * 7 + j * 13) % 11) * ((i + j) % 5 === 0 ? 3 : 1));
    lines.push(name(i) + "," + values.join(","));
  }
  writeFileSync(join(folder, "hostile.csv"), lines.join("\n") + "\n");
}

before(async () => {
  svrmu("generate", "swimmer", "-o", "swimmer.npy");
  svrmu("fit", "swimmer.npy", "-k", "17", "--algorithm", "svrmu-acc", "--epochs", "40", "--report", "swimmer.html", "--image", "32x32");
  svrmu("generate", "swimmer", "-o", "spoilt.npy", "--outliers", "0.02");
  svrmu("fit", "spoilt.npy", "-k", "17", "--algorithm", "r-svrmu", "--epochs", "10", "--report", "spoilt.html", "--image", "32x32");
  svrmu("generate", "lowrank-scaled", "-o", "plain.npy", "--features", "500", "--samples", "3000", "-k", "6");
  svrmu("fit", "plain.npy", "-k", "6", "--report", "plain.html");
  writeHostile(10000, 40);
  svrmu("fit", "hostile.csv", "-k", "6", "--epochs", "5", "--report", "hostile.html");
  svrmu("compare", "plain.npy", "-k", "6", "--algorithms", "smu,svrmu-acc,hals-acc", "--seeds", "2", "--counts", "8", "--report", "compare.html");
  svrmu("reproduce", "synthetic", "--features", "40", "--samples", "60", "--batch-size", "20", "-k", "4", "--seeds", "2", "--counts", "12",
    "--report", "synthetic.html");
  svrmu("reproduce", "faces", "--seeds", "1", "--counts", "12", "--report", "faces.html");
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
});

after(async () => {
  if (browser) await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

// A report in a browser, with everything that went wrong in `page.troubles`.
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  page.troubles = [];
  page.on("console", (message) => { if (message.type() === "error") page.troubles.push(message.text()); });
  page.on("pageerror", (error) => page.troubles.push(error.message));
  page.on("dialog", (dialog) => { page.troubles.push("dialog"); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!request.url().startsWith("data:") && !request.url().endsWith(`${name}.html`)) page.troubles.push(`asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
  return page;
}

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

async function seriousFindings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  return violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
}

// The part of a canvas that is not empty, between 0 and 1.
const ink = (page, selector) => page.$$eval(selector, (canvases) => canvases.map((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let used = 0;
  for (let i = 3; i < data.length; i += 4) used += data[i] > 0 ? 1 : 0;
  return used / (data.length / 4);
}));

const axisLabels = (page) => page.$$eval("figure.chart:first-of-type .dygraph-axis-label-x", (labels) => labels.map((l) => l.textContent));

for (const name of ["swimmer", "spoilt", "plain", "hostile"]) {
  test(`${name}: opens without an error and draws every figure`, async () => {
    const page = await open(name);
    assert.deepEqual(page.troubles, []);
    const charts = await page.locator("figure.chart").count();
    assert.ok(charts >= 2);
    const canvases = await ink(page, "figure.chart .plot canvas:first-of-type");
    assert.equal(canvases.length, charts);
    for (const share of canvases) assert.ok(share > 0.002, `a chart is empty: ${share}`);
    const sizes = await page.$$eval("svg.drawing", (all) => all.filter((svg) => svg.checkVisibility() && !svg.ariaHidden)
      .map((svg) => [svg.getBoundingClientRect().width, svg.childElementCount]));
    assert.ok(sizes.length > 3);
    for (const [width, children] of sizes) assert.ok(width > 50 && children > 0);
    const pictures = await page.$$eval("img", (all) => all.map((img) => img.complete && img.naturalWidth > 0));
    assert.ok(pictures.every(Boolean));
    if (["swimmer", "spoilt"].includes(name)) assert.ok(pictures.length >= 17);
    await page.context().close();
  });
}

for (const [name, charts, pictures] of [["compare", 1, 0], ["synthetic", 3, 0], ["faces", 0, 4]]) {
  test(`${name}: the page of an experiment opens without an error and draws every figure`, async () => {
    const page = await open(name);
    assert.deepEqual(page.troubles, []);
    const canvases = await ink(page, "figure.chart .plot canvas:first-of-type");
    assert.ok(canvases.length >= charts);
    assert.equal(canvases.length, await page.locator("figure.chart").count());
    for (const share of canvases) assert.ok(share > 0.002, `a chart is empty: ${share}`);
    const drawn = await page.$$eval("img", (all) => all.map((img) => img.complete && img.naturalWidth > 0));
    assert.ok(drawn.length >= pictures && drawn.every(Boolean));
    assert.ok(await page.locator("table tbody tr").count() >= 3);
    await page.context().close();
  });
}

const light = {}, dark = { colorScheme: "dark" }, phone = { viewport: { width: 360, height: 740 } };
const looks = { swimmer: { light, dark }, spoilt: { phone }, plain: { dark }, hostile: { light, phone },
  compare: { light, dark }, synthetic: { phone }, faces: { dark, phone } };
for (const [name, kinds] of Object.entries(looks)) {
  for (const [kind, options] of Object.entries(kinds)) {
    test(`${name}, ${kind}: axe has no serious finding`, async () => {
      const page = await open(name, { ...options, bypassCSP: true });
      assert.deepEqual(await seriousFindings(page), []);
      await page.context().close();
    });
  }
  test(`${name}: fits every screen`, async () => {
    const page = await open(name);
    for (const width of [1600, 1200, 700, 360, 320]) {
      await page.setViewportSize({ width, height: 700 });
      // The charts follow the size of the window, a little later.
      await assert.doesNotReject(page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, null, { timeout: 5000 }),
        `wider than a screen of ${width}`);
    }
    await page.context().close();
  });
}

test("hovering reads the chart", async () => {
  const page = await open("swimmer");
  const plot = page.locator(".plot").first();
  const readout = page.locator(".readout").first();
  const before = await readout.textContent();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await assert.doesNotReject(page.waitForFunction((old) => document.querySelector(".readout").textContent !== old, before));
  assert.match(await readout.textContent(), /epochs \d+\s*objective [\d.,e-]+/);
  await page.context().close();
});

test("dragging zooms, a double click shows all", async () => {
  const page = await open("swimmer");
  const all = await axisLabels(page);
  const box = await page.locator(".plot").first().boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.3, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 });
  await page.mouse.up();
  const zoomed = await axisLabels(page);
  assert.notDeepEqual(zoomed, all);
  await page.mouse.dblclick(box.x + box.width / 2, y);
  await page.waitForFunction((labels) => JSON.stringify([...document.querySelectorAll("figure.chart:first-of-type .dygraph-axis-label-x")]
    .map((l) => l.textContent)) === labels, JSON.stringify(all));
  await page.context().close();
});

test("buttons and keys zoom and read", async () => {
  const page = await open("swimmer");
  const all = await axisLabels(page);
  await page.getByRole("button", { name: "zoom in" }).first().click();
  assert.notDeepEqual(await axisLabels(page), all);
  await page.getByRole("button", { name: "show all" }).first().click();
  await page.waitForFunction((labels) => JSON.stringify([...document.querySelectorAll("figure.chart:first-of-type .dygraph-axis-label-x")]
    .map((l) => l.textContent)) === labels, JSON.stringify(all));
  await page.locator(".plot").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".readout").first().textContent(), /^epochs 1\b/);
  await page.keyboard.press("+");
  assert.notDeepEqual(await axisLabels(page), all);
  await page.context().close();
});

test("the curves of a comparison go along another axis", async () => {
  const page = await open("compare");
  await page.locator("figure.chart select").first().selectOption({ label: "seconds in the solver" });
  assert.equal(await page.locator(".axis-name.x").first().textContent(), "seconds in the solver");
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("another x axis and a linear scale can be chosen", async () => {
  const page = await open("swimmer");
  await page.locator("figure.chart select").first().selectOption({ label: "columns read" });
  assert.equal(await page.locator(".axis-name.x").first().textContent(), "columns read");
  const before = await page.$$eval("figure.chart:first-of-type .dygraph-axis-label-y", (l) => l.map((e) => e.textContent));
  await page.getByLabel("logarithmic").first().uncheck();
  const now = await page.$$eval("figure.chart:first-of-type .dygraph-axis-label-y", (l) => l.map((e) => e.textContent));
  assert.notDeepEqual(now, before);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test("dark and light follow the reader, while the page is open", async () => {
  const page = await open("swimmer");
  const lightness = () => page.evaluate(() => {
    const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return (r + g + b) / 3;
  });
  assert.ok(await lightness() > 200);
  const picture = () => page.locator("figure.chart .plot canvas").first().evaluate((canvas) => canvas.toDataURL());
  const light = await picture();
  await page.emulateMedia({ colorScheme: "dark" });
  assert.ok(await lightness() < 60);
  assert.notEqual(await picture(), light);
  await page.context().close();
});

test("printed and without scripts the charts are still drawings", async () => {
  const printed = await open("swimmer");
  await printed.emulateMedia({ media: "print" });
  assert.ok(await printed.locator(".static svg").first().isVisible());
  assert.ok(!await printed.locator(".plot").first().isVisible());
  await printed.context().close();
  const still = await open("swimmer", { javaScriptEnabled: false });
  assert.ok(await still.locator(".static svg").first().isVisible());
  await still.context().close();
});

test("hostile names run nothing and are shown as text", async () => {
  const page = await open("hostile");
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  assert.deepEqual(page.troubles, []);
  assert.equal(await page.locator("script:not([type])").count(), 2);
  assert.equal(await page.locator("img[onerror], [onload], [onmouseover]").count(), 0);
  const text = await page.evaluate(() => document.body.textContent);
  assert.ok(!/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/.test(text.replaceAll("\r", "")), "a control character is in the page");
  assert.ok(text.includes("<script>") || text.includes("<img src=x") || text.includes("␛") || text.includes("[U+202E]"));
  assert.ok(await overflow(page) <= 0);
  const bounded = await page.$$eval("tr", (rows) => rows.every((row) => row.getBoundingClientRect().height < 400));
  assert.ok(bounded, "a name blew up a row");
  await page.context().close();
});

test("the policy stops what a name could smuggle in", async () => {
  const page = await open("swimmer");
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.harmed = 1";
    document.body.append(script);
    const image = new Image();
    const loaded = new Promise((resolve) => { image.onload = () => resolve(true); image.onerror = () => resolve(false); });
    image.src = "https://example.org/spy.png";
    return [window.harmed === 1, await loaded];
  });
  assert.deepEqual(ran, [false, false]);
  await page.context().close();
});

test("a report of a large model is below 5 MB", () => {
  for (const name of ["swimmer", "spoilt", "plain", "hostile", "compare", "synthetic", "faces"]) assert.ok(readFileSync(join(folder, `${name}.html`)).length < 5e6);
});
