python3 - <<'PYTHON'
from pathlib import Path

path = Path("server.py")
text = path.read_text().replace(
    """        self.answer(501, b'{"error": "not built"}', "application/json")
""",
    """        status, answer = members.sign_up(body, self.headers.get("idempotency-key"))
        self.answer(status, json.dumps(answer).encode(), "application/json")
""",
)
path.write_text(text.replace("import json\n", "import json\n\nimport members\n", 1))
PYTHON
