#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["14"]
page["subscription_data"]["billing_cycle_anchor"] += 86_400
json.dump(pages, open("/app/answers.json", "w"))
END
