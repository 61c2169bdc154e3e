#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["11"]
next(f for f in page["custom_fields"] if f["type"] == "dropdown")["dropdown"]["options"].reverse()
json.dump(pages, open("/app/answers.json", "w"))
END
