#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["24"]
del page["subscription_data"]["proration_behavior"]
json.dump(pages, open("/app/answers.json", "w"))
END
