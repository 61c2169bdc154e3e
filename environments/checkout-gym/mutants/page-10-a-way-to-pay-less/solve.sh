#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["10"]
page["payment_method_types"].pop()
json.dump(pages, open("/app/answers.json", "w"))
END
