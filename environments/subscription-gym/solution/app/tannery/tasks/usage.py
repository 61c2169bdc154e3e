# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-16ba939d39b6: keep out of training data
"""What the kiln has burnt."""

from ..inputs import text, whole
from ..problems import InvalidRequest


def firings(desk, asked):
    """`{customer, meter, readings}`: tells each reading once."""
    customer = desk.stripe.customers.retrieve(text(asked, "customer"))
    meter = desk.stripe.billing.meters.retrieve(text(asked, "meter"))
    readings = asked.get("readings")
    if not isinstance(readings, list) or not readings or not all(isinstance(item, dict) for item in readings):
        raise InvalidRequest("readings must be a list of objects.")
    read = [(text(item, "id"), whole(item, "value", 0), whole(item, "at", 0)) for item in readings]
    counted = 0
    for name, value, at in read:
        if desk.records.told(name):
            continue
        desk.stripe.billing.meter_events.create(
            {
                "event_name": meter.event_name,
                "identifier": name,
                "timestamp": at,
                "payload": {
                    meter.customer_mapping.event_payload_key: customer.id,
                    meter.value_settings.event_payload_key: str(value),
                },
            },
            desk.once(),
        )
        desk.records.keep_told(name)
        counted += 1
    return {"counted": counted}
