"""Writes a regression with the values of statsmodels: regression.py OUT.json"""

import json
import random
import sys

import numpy
import statsmodels.api as sm

random.seed(7)
n = 120
columns = [
    [float(random.randint(5, 40)) for _ in range(n)],
    [round(random.gauss(60, 18), 3) for _ in range(n)],
    [float(random.random() < 0.2) for _ in range(n)],
    [round(random.gauss(-9.5, 0.6), 4) for _ in range(n)],
]
y = [round(min(1, max(0, 0.9 - 0.01 * a - 0.2 * c + random.gauss(0, 0.3))), 4) for a, _, c, _ in zip(*columns)]
fit = sm.OLS(numpy.array(y), sm.add_constant(numpy.array(columns).T)).fit()
out = {
    "columns": columns,
    "y": y,
    "estimates": list(fit.params),
    "errors": list(fit.bse),
    "p": list(fit.pvalues),
    "r_squared": fit.rsquared,
}
json.dump(out, open(sys.argv[1], "w", encoding="utf-8"))
