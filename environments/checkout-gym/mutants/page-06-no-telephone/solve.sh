#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["06"]
del page["phone_number_collection"]
json.dump(pages, open("/app/answers.json", "w"))
END
