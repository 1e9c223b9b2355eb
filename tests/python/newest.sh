#!/usr/bin/env bash
# newest.sh FOLDER PACKAGE: the Python tests in a virtual environment with the newest packages of the index.
set -euo pipefail
folder=$1
package=$(realpath "$2")
sources=$(cd "$(dirname "$0")/../.." && pwd)
python=${SVRMU_NEWEST_PYTHON:-python3}

if ! "$python" -m pip download -q --no-deps --dest "$(mktemp -d)" tqdm >/dev/null 2>&1; then
  echo "the package index cannot be reached: nothing was tested" >&2
  exit 77
fi
[[ -x $folder/bin/python ]] || "$python" -m venv "$folder"
"$folder/bin/pip" install -q --upgrade scikit-learn pandas pytest anndata hypothesis joblib matplotlib tqdm
# Programs of others that call NMF; without them test_users.py is skipped.
"$folder/bin/pip" install -q --upgrade cnmf librosa || echo "cNMF and librosa cannot be installed" >&2
"$folder/bin/pip" list 2>/dev/null | grep -iE '^(numpy|scipy|scikit-learn|pandas|anndata) '
PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 SVRMU_SOURCES=$sources "$folder/bin/python" -m pytest -q \
  -p no:cacheprovider "$sources/tests/python"
