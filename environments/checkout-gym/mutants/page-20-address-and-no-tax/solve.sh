#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["20"]
page["automatic_tax"]["enabled"] = False; page["billing_address_collection"] = "required"
json.dump(pages, open("/app/answers.json", "w"))
END
