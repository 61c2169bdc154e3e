#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["18"]
del page["branding_settings"]["display_name"]
json.dump(pages, open("/app/answers.json", "w"))
END
