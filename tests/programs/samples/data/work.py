"""numpy, pandas and matplotlib as in a day's work: linear algebra, a table, a picture."""
import os
import sys
import tempfile

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402  (the backend is chosen first)
import numpy  # noqa: E402
import pandas  # noqa: E402

out = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
random = numpy.random.default_rng(1)
matrix = random.random((300, 300))
assert numpy.allclose(numpy.linalg.inv(matrix) @ matrix, numpy.eye(300), atol=1e-6)
assert abs(numpy.fft.ifft(numpy.fft.fft(matrix[0])).real - matrix[0]).max() < 1e-9

table = pandas.DataFrame({"kind": list("abab") * 25, "value": range(100)})
table.to_csv(os.path.join(out, "table.csv"), index=False)
back = pandas.read_csv(os.path.join(out, "table.csv"))
assert back.groupby("kind").value.sum().to_dict() == {"a": 2450, "b": 2500}

figure, axes = pyplot.subplots()
axes.plot(table.value, numpy.sin(table.value / 10))
axes.set_title("sine")
figure.savefig(os.path.join(out, "sine.png"))
with open(os.path.join(out, "sine.png"), "rb") as file:
    assert file.read(8) == b"\x89PNG\r\n\x1a\n"
print("data fine", sys.prefix)
