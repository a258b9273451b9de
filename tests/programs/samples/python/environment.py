"""python -m venv, then pip with a wheel that lies beside this file's copy, and the installed command."""
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile

folder = tempfile.mkdtemp()
wheels = os.path.join(folder, "wheels")
os.mkdir(wheels)
INFO = "greeting-1.0.dist-info"
FILES = {
    "greeting.py": "def main():\n    print('installed and called')\n",
    f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/entry_points.txt": "[console_scripts]\ngreet = greeting:main\n",
}
record = []
with zipfile.ZipFile(f"{wheels}/greeting-1.0-py3-none-any.whl", "w") as wheel:
    for name, text in FILES.items():
        wheel.writestr(name, text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(text)}")
    wheel.writestr(f"{INFO}/RECORD", "\n".join([*record, f"{INFO}/RECORD,,", ""]))

home = os.path.join(folder, "venv")
subprocess.run([sys.executable, "-m", "venv", home], check=True)
python = f"{home}/bin/python3"
subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
                "--find-links", wheels, "greeting"], check=True)
subprocess.run([f"{home}/bin/greet"], check=True)
prefix = subprocess.run([python, "-c", "import sys; print(sys.prefix)"], check=True, capture_output=True, text=True)
assert prefix.stdout.strip() == home, prefix.stdout
