#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["09"]
page["subscription_data"]["trial_period_days"] += 1
json.dump(pages, open("/app/answers.json", "w"))
END
