import base64
import json
import os
import urllib.parse
import urllib.request


def sign_up(body, key):
    if not body.get("email"):
        return 400, {"error": "email"}
    fields = urllib.parse.urlencode({"email": body["email"], "name": body["name"]}).encode()
    request = urllib.request.Request("https://api.stripe.com/v1/customers", data=fields)
    request.add_header("authorization", "Basic " + base64.b64encode(f"{os.environ['STRIPE_SECRET_KEY']}:".encode()).decode())
    if key:
        request.add_header("idempotency-key", key)
    with urllib.request.urlopen(request) as answer:
        return 201, {"member": json.load(answer)["id"]}
