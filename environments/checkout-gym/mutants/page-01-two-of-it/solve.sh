#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["01"]
page["line_items"][0]["quantity"] = 2
json.dump(pages, open("/app/answers.json", "w"))
END
