#!/bin/sh
set -eu
python3 - <<'END'
import json
pages = json.load(open("/app/answers.json"))
page = pages["21"]
page["custom_fields"].append({"key": "more", "label": {"type": "custom", "custom": "Birthday"}, "type": "text"})
json.dump(pages, open("/app/answers.json", "w"))
END
