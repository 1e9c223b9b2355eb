# R's package NMF in a process of its own: Rscript nmf_worker.R FILE FEATURES SAMPLES, FILE being V as doubles, column by
# column. A line "METHOD CAP W-FILE H-FILE RANK OUT" on standard input is answered by "SECONDS PEAK-MEGABYTES"; the factors
# are left as doubles in OUT.w.bin and OUT.h.bin.
suppressPackageStartupMessages(suppressWarnings(library(NMF)))
arguments <- commandArgs(trailingOnly = TRUE)
features <- as.integer(arguments[2])
samples <- as.integer(arguments[3])
read_matrix <- function(path, rows, columns) {
  matrix(readBin(path, "double", rows * columns), rows, columns)
}
peak_megabytes <- function() {
  status <- readLines("/proc/self/status")
  as.numeric(gsub("[^0-9]", "", grep("VmHWM", status, value = TRUE))) / 1024
}
V <- read_matrix(arguments[1], features, samples)
never <- function(strategy, i, target, data, ...) FALSE
commands <- file("stdin", "r")
while (length(line <- readLines(commands, n = 1)) > 0) {
  words <- strsplit(line, " ")[[1]]
  rank <- as.integer(words[5])
  start <- nmfModel(W = read_matrix(words[3], features, rank), H = read_matrix(words[4], rank, samples))
  seconds <- system.time(
    result <- nmf(V, rank, words[1], seed = start, maxIter = as.integer(words[2]), .stop = never, .opt = "-p")
  )[["elapsed"]]
  writeBin(as.vector(basis(result)), paste0(words[6], ".w.bin"))
  writeBin(as.vector(coef(result)), paste0(words[6], ".h.bin"))
  cat(seconds, peak_megabytes(), "\n")
}
