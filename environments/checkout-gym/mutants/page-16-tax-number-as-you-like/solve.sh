#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["16"]
del page["tax_id_collection"]["required"]
json.dump(pages, open("/app/answers.json", "w"))
END
