#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["17"]
del page["locale"]
json.dump(pages, open("/app/answers.json", "w"))
END
