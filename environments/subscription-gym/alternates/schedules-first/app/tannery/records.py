"""What was answered and told before: a log that is read when the program starts."""

import json
import threading


class Records:
    """Answers by request, and the readings that Stripe's meters have heard of."""

    def __init__(self, directory):
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / "desk.log"
        self._lock = threading.Lock()
        self._answers = {}
        self._told = set()
        if self._path.exists():
            for line in self._path.read_text().splitlines():
                self._take(json.loads(line))

    def answer(self, request):
        """The answer that a request had, or None."""
        return self._answers.get(request)

    def keep_answer(self, request, answer):
        """Remember the answer to a request."""
        self._write({"request": request, "answer": answer})

    def told(self, reading):
        """Whether a reading has been told."""
        return reading in self._told

    def keep_told(self, reading):
        """Remember that a reading has been told."""
        self._write({"told": reading})

    def _take(self, entry):
        if "told" in entry:
            self._told.add(entry["told"])
        else:
            self._answers.setdefault(entry["request"], entry["answer"])

    def _write(self, entry):
        with self._lock, self._path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            self._take(entry)
