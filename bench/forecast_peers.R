# Forecasts of R's package forecast for the series of a long table "series,index,value,part", part being train or test:
#
#   Rscript forecast_peers.R TABLE.csv SEASON METHOD,METHOD FORECASTS.csv
#
# One line per series, method and step: mean, limits of the 95 percent interval, and the milliseconds the series took.
suppressPackageStartupMessages(library(forecast))
arguments <- commandArgs(trailingOnly = TRUE)
table <- read.csv(arguments[1], stringsAsFactors = FALSE)
season <- as.integer(arguments[2])
methods <- strsplit(arguments[3], ",")[[1]]
out <- file(arguments[4], "w")
writeLines("series,method,step,mean,lower95,upper95,ms", out)
for (name in unique(table$series)) {
  rows <- table[table$series == name, ]
  past <- ts(rows$value[rows$part == "train"], frequency = season)
  horizon <- sum(rows$part == "test")
  for (method in methods) {
    started <- proc.time()[["elapsed"]]
    result <- tryCatch(
      switch(method,
        ets = forecast(ets(past), h = horizon, level = 95),
        arima = forecast(auto.arima(past), h = horizon, level = 95),
        theta = thetaf(past, h = horizon, level = 95)
      ),
      error = function(problem) NULL
    )
    ms <- 1000 * (proc.time()[["elapsed"]] - started)
    if (is.null(result)) next
    for (step in seq_len(horizon)) {
      writeLines(sprintf("%s,%s,%d,%.10g,%.10g,%.10g,%.3f", name, method, step, result$mean[step],
                         result$lower[step], result$upper[step], ms), out)
    }
  }
}
close(out)
