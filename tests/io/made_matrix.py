"""The matrix that make_files.py and make_h5_files.py write, entry(i, j) of 5 x 3; files.hpp has it for the tests."""

import numpy as np
import scipy.sparse as sp

ROWS, COLUMNS = 5, 3
M = np.array([[(7 * i + 3 * j) % 11 if (i + j) % 2 == 0 else 0 for j in range(COLUMNS)] for i in range(ROWS)], float)
S = sp.csr_matrix(M)
