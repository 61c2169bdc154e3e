# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-929437f2b357: keep out of training data
"""Members are customers of the payment account."""

import json
import os
import subprocess


def sign_up(body, key):
    """Make a member of a name and an e-mail address; the same key makes the same member."""
    name, email = body.get("name"), body.get("email")
    if not email:
        return 400, {"error": "an e-mail address is needed"}
    return 201, {"member": create(name, email, key)["id"]}


def create(name, email, key):
    """Create a customer; `key` makes repeating it harmless."""
    command = ["curl", "--silent", "https://api.stripe.com/v1/customers"]
    command += ["--user", os.environ["STRIPE_SECRET_KEY"] + ":"]
    command += ["--data-urlencode", f"name={name}", "--data-urlencode", f"email={email}"]
    if key:
        command += ["--header", f"Idempotency-Key: {key}"]
    done = subprocess.run(command, capture_output=True, check=True)
    return json.loads(done.stdout)
