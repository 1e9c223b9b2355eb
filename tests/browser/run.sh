#!/bin/sh
# run.sh SVRMU: the browser tests; 77 (skipped) where a browser, node or its packages are missing (make setup-test).
here=$(dirname "$0")
SVRMU=$1
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
skip() { echo "skipped: $1; make setup-test installs it"; exit 77; }
[ -n "$CHROMIUM" ] || skip "there is no chromium"
command -v node >/dev/null || skip "there is no node"
[ -d "$here/node_modules/playwright-core" ] && [ -d "$here/node_modules/axe-core" ] || skip "tests/browser/node_modules is missing"
export SVRMU CHROMIUM
exec node --test "$here/report.test.mjs"
