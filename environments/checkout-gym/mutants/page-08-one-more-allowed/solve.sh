#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["08"]
page["line_items"][0]["adjustable_quantity"]["maximum"] += 1
json.dump(pages, open("/app/answers.json", "w"))
END
