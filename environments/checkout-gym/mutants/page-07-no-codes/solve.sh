#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["07"]
del page["allow_promotion_codes"]
json.dump(pages, open("/app/answers.json", "w"))
END
