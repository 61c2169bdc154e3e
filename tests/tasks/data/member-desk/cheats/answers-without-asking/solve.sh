python3 - <<'PYTHON'
from pathlib import Path

path = Path("server.py")
path.write_text(
    path.read_text().replace(
        """self.answer(501, b'{"error": "not built"}', "application/json")""",
        """self.answer(201 if body.get("email") else 400, b'{"member": "cus_NffrFeUfNV2Hib"}', "application/json")""",
    )
)
PYTHON
