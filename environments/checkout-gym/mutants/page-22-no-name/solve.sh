#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["22"]
del page["name_collection"]["individual"]
json.dump(pages, open("/app/answers.json", "w"))
END
