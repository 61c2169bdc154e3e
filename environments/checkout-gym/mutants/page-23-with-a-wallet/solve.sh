#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["23"]
del page["wallet_options"]
json.dump(pages, open("/app/answers.json", "w"))
END
