#!/bin/sh
set -eu
python3 -c 'import json; json.dump({f"{n:02}": {} for n in range(1, 25)}, open("/app/answers.json", "w"))'
