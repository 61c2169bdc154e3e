#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["19"]
page["line_items"].pop()
json.dump(pages, open("/app/answers.json", "w"))
END
