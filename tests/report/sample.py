"""A finished job with every kind of trial, as files: what the report's tests (and its designer) look at."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from trialbalance.trials import AgentChoice, Job, JobConfig, TaskChoice, TrialResult, plan_trials
from trialbalance.trials.files import append_line, write_json, write_whole
from trialbalance.trials.job import blank_result
from trialbalance.trials.plan import TrialPlan

START = 1_767_225_600
NASTY = "<script>alert('x')</script><img src=x onerror=alert(1)>"

CHECKS = [
    ("checkout-session-is-created", "The button opens a Checkout page for the chosen plan."),
    (
        "amount-is-the-cart-total",
        "The customer pays exactly the total that the cart shows, in the cart's currency.",
    ),
    ("declined-card-leaves-no-order", "A declined card leaves no order behind."),
    ("webhook-signature-is-verified", "Events without a valid signature are refused with status 400."),
    ("fulfilment-happens-once", "An event that is delivered twice fulfils the order once."),
    ("secret-key-stays-on-the-server", "The secret key never reaches the browser."),
]

DIFF = """diff --git a/server.py b/server.py
index 1111111..2222222 100644
--- a/server.py
+++ b/server.py
@@ -10,6 +10,9 @@ def order(request):
     cart = load_cart(request)
-    charge = stripe.Charge.create(amount=cart.total, source=request.form["token"])
-    return {"charge": charge.id}
+    session = stripe.checkout.Session.create(
+        mode="payment",
+        line_items=[line(item) for item in cart],
+    )
+    return {"url": session.url}


diff --git a/templates/pay.html b/templates/pay.html
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/templates/pay.html
@@ -0,0 +1,2 @@
+<h1>Pay</h1>
+<button id="pay">Pay now</button>
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
"""


def png(width: int = 320, height: int = 200, shade: int = 240) -> bytes:
    """A small picture: a header bar on a plain page."""
    rows = b"".join(
        b"\0" + (bytes((12, 107, 94)) if y < height // 6 else bytes((shade, shade, shade))) * width
        for y in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def journal() -> list[dict[str, Any]]:
    common = {"kind": "request", "api_key": "sk_test_…f3a1", "version": "2026-08-26.dahlia", "source": "api"}
    agent = "Stripe/v1 PythonBindings/16.1.0"
    return [
        {
            **common,
            "seq": 1,
            "at": START,
            "method": "POST",
            "path": "/v1/products",
            "params": {"name": "Desk lamp"},
            "status": 200,
            "response": {"id": "prod_1", "object": "product"},
            "request_id": "req_1",
            "user_agent": agent,
        },
        {
            **common,
            "seq": 2,
            "at": START,
            "method": "POST",
            "path": "/v1/checkout/sessions",
            "params": {"mode": "pay"},
            "status": 400,
            "response": {
                "error": {
                    "type": "invalid_request_error",
                    "message": "Invalid mode: must be one of payment, setup, …",
                    "param": "mode",
                }
            },
            "request_id": "req_2",
            "user_agent": agent,
        },
        {
            **common,
            "seq": 3,
            "at": START,
            "method": "POST",
            "path": "/v1/checkout/sessions",
            "params": {"mode": "payment", "line_items": [{"price": "price_1", "quantity": 2}]},
            "status": 200,
            "response": {
                "id": "cs_test_1",
                "object": "checkout.session",
                "url": "https://checkout.stripe.com/c/pay/cs_test_1",
            },
            "request_id": "req_3",
            "user_agent": agent,
            "idempotency_key": "order-17",
        },
        {
            "seq": 4,
            "at": START,
            "kind": "page",
            "page": "checkout",
            "event": "opened",
            "session": "cs_test_1",
        },
        {
            "seq": 5,
            "at": START,
            "kind": "webhook",
            "type": "checkout.session.completed",
            "url": "http://127.0.0.1:4242/webhook",
            "status": 200,
        },
    ]


def trajectory(final: str) -> dict[str, Any]:
    def call(step: int, command: str, output: str, message: str = "") -> dict[str, Any]:
        return {
            "step_id": step,
            "source": "agent",
            "message": message,
            "model_name": "scripted-1",
            "tool_calls": [
                {
                    "tool_call_id": f"call_{step}",
                    "function_name": "trial__terminal",
                    "arguments": {"command": command},
                }
            ],
            "observation": {"results": [{"source_call_id": f"call_{step}", "content": output}]},
            "metrics": {"prompt_tokens": 1800 + step * 400, "completion_tokens": 120, "cost_usd": 0.0021},
        }

    steps: list[dict[str, Any]] = [
        {
            "step_id": 1,
            "source": "user",
            "message": "# Replace the Card Element\n\nLet Checkout take the cards.",
        },
        call(
            2,
            "ls -la && cat server.py",
            "server.py  templates  requirements.txt\n",
            "I'll look at the code first.",
        ),
        call(3, "cat > server.py <<'EOF'\nimport stripe\nEOF", ""),
        call(
            4,
            "python server.py",
            "Traceback (most recent call last):\nNameError: name 'app' is not defined\nexit code: 1",
            NASTY,
        ),
        call(
            5, "sed -i 's/app/application/' server.py && python server.py", "Running on http://127.0.0.1:4242"
        ),
        {
            "step_id": 6,
            "source": "agent",
            "message": "Let me see the page.",
            "tool_calls": [
                {
                    "tool_call_id": "b1",
                    "function_name": "trial__browser",
                    "arguments": {"action": "open", "url": "http://127.0.0.1:4242/"},
                }
            ],
            "observation": {
                "results": [
                    {
                        "source_call_id": "b1",
                        "content": [
                            {"type": "text", "text": "Desk lamp – 49.00 – Buy"},
                            {
                                "type": "image",
                                "source": {"media_type": "image/png", "path": "images/step-6.png"},
                            },
                        ],
                    }
                ]
            },
        },
        {
            "step_id": 7,
            "source": "agent",
            "message": final,
            "metrics": {"prompt_tokens": 4000, "completion_tokens": 300, "cost_usd": 0.004},
        },
    ]
    return {
        "schema_version": "ATIF-v1.8",
        "session_id": "s",
        "agent": {"name": "goose", "version": "1.34.0", "model_name": "scripted-1"},
        "steps": steps,
        "final_metrics": {},
    }


def metrics(failed: Mapping[str, str]) -> dict[str, Any]:
    checks = []
    for id_, requirement in CHECKS:
        evidence: list[dict[str, Any]] = [
            {
                "kind": "app",
                "method": "POST",
                "path": "/api/cart",
                "status": 200,
                "answer": {"total": 9800, "currency": "eur"},
            },
            {"kind": "shopper", "action": "click", "name": "Buy"},
        ]
        if id_ in failed:
            evidence.append(
                {"kind": "failed", "expected": 9800, "actual": 4900, "currency": "eur", "note": NASTY}
            )
        checks.append(
            {
                "id": id_,
                "requirement": requirement,
                "status": "fail" if id_ in failed else "pass",
                "message": failed.get(id_, ""),
                "evidence": evidence,
                "required": True,
            }
        )
    return {
        "schema_version": "1",
        "partial_score": (len(CHECKS) - len(failed)) / len(CHECKS),
        "checks": checks,
        "flags": [{"kind": "too-large", "detail": NASTY}] if "fulfilment-happens-once" in failed else [],
        "challenges": [{"id": "to-the-cent", "score": 0.25 if failed else 1.0}, {"id": NASTY, "score": None}],
    }


FAILURES: dict[str, dict[str, str]] = {
    "nop": {id_: "the app still shows the old card form" for id_, _ in CHECKS[:5]},
    "goose": {
        "amount-is-the-cart-total": "the session's amount is not the cart's total",
        "fulfilment-happens-once": f"two orders exist after one payment {NASTY}",
    },
}


def make_job(folder: Path, *, samples: int = 4) -> Job:
    """Two tasks, four agents; goose passes two of four, one of its trials is invalid."""
    agents = (
        AgentChoice(label="reference", program="reference"),
        AgentChoice(label="nop", program="nop"),
        AgentChoice(label="goose/large-1", program="goose", model="large-1"),
        AgentChoice(label="goose-replay", program="goose", replay="task"),
    )
    tasks = tuple(
        TaskChoice(
            name=name,
            path=f"environments/{name}",
            version="1-0",
            digest="ab12" * 16,
            suite="default",
            replays=("goose",),
        )
        for name in ("card-element-to-checkout", "subscription-upgrades")
    )
    plans = plan_trials(job=folder.name, tasks=tasks, agents=agents, samples=samples, seed=7)
    config = JobConfig(
        name=folder.name, created_at=START, suite="default", seed=7, samples=samples, trials=plans
    )
    lock = {
        "packages": {"trialbalance": "0.1.0", "stripe": "16.1.0"},
        "python": "3.11.7",
        "source_digest": "c0ffee" * 10,
    }
    job = Job.create(folder, config, lock)
    for number, plan in enumerate(plans):
        result = make_trial(folder / plan.trial, plan, number)
        append_line(folder / "results.jsonl", msgspec.json.encode(result))
    return job


def make_trial(folder: Path, plan: TrialPlan, number: int) -> TrialResult:
    """One trial's files and its result."""
    kind = "goose" if plan.agent.label == "goose/large-1" and plan.sample % 2 else plan.agent.label
    failed = FAILURES.get(kind, {})
    goose = plan.agent.program == "goose"
    invalid = plan.agent.label == "goose/large-1" and plan.sample == 4 and plan.task.name.startswith("sub")
    reward = None if invalid else int(not failed)
    write_json(folder / "config.json", plan)
    write_json(folder / "lock.json", {"schema_version": "1", "task_digest": plan.task.digest})
    events = [
        ("phase", "prepare", 0.0, 0),
        ("phase_done", "prepare", 2.1, 2.1),
        ("phase", "agent", 2.1, 0),
        ("phase_done", "agent", 44.0, 41.9),
        ("phase", "grading", 44.0, 0),
        ("phase_done", "grading", 61.5, 17.5),
    ]
    write_whole(
        folder / "events.jsonl",
        "".join(
            json.dumps(
                {
                    "schema_version": "1",
                    "at": START,
                    "elapsed": elapsed,
                    "event": event,
                    "name": name,
                    "seconds": seconds,
                }
            )
            + "\n"
            for event, name, elapsed, seconds in events
        ),
    )
    if goose:
        last = (
            "I could not finish the webhook."
            if kind != "goose"
            else "Checkout is in place and works end to end. All done."
        )
        write_json(folder / "agent" / "trajectory.json", trajectory(last))
        write_whole(folder / "agent" / "images" / "step-6.png", png(shade=200))
    if goose or kind == "reference":
        write_whole(folder / "agent" / "workspace.diff", DIFF)
        write_whole(
            folder / "twin" / "journal.jsonl", "".join(json.dumps(entry) + "\n" for entry in journal())
        )
    if not invalid:
        write_json(folder / "grader" / "metrics.json", metrics(failed))
        write_json(folder / "grader" / "reward.json", {"reward": reward})
        for name in (
            "amount-is-the-cart-total/01-cart",
            "amount-is-the-cart-total/02-receipt",
            "purchase/01-pay",
        ):
            write_whole(folder / "grader" / "screenshots" / f"{name}.png", png())
    passed = len(CHECKS) - len(failed)
    result = blank_result(
        plan,
        status="invalid" if invalid else "completed",
        invalid_stage="agent" if invalid else None,
        invalid_reason="the model provider answered 529 (overloaded) six times" if invalid else None,
        attempts=3 if invalid else 1,
        outcome=None if invalid else "timeout" if kind == "goose" and plan.sample == 3 else "completed",
        reward=reward,
        partial_score=None if invalid else passed / len(CHECKS),
        checks_required=0 if invalid else len(CHECKS),
        checks_passed=0 if invalid else passed,
        checks_failed=0 if invalid else len(failed),
        turns=6 if goose else 0,
        prompt_tokens=18_400 + number * 10 if goose else 0,
        completion_tokens=1_240 if goose else 0,
        cost_usd=0.0731 if plan.agent.model else None,
        twin_requests=3 if kind != "nop" else 0,
        verified=True if goose and not invalid else None,
        recovered=True if goose and not invalid else None,
        overclaimed=kind == "goose" if goose and not invalid else None,
        started_at=START,
        finished_at=START + 62,
        seconds_prepare=2.1,
        seconds_agent=41.9 if goose else 3.2,
        seconds_grade=17.5,
        seconds_total=61.5,
    )
    write_json(folder / "result.json", result)
    return result
