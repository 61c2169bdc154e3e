#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["12"]
del page["branding_settings"]["button_color"]
json.dump(pages, open("/app/answers.json", "w"))
END
