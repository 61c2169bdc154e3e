# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-353cf4e7d812: keep out of training data
"""The grader of the member desk."""

from trialbalance.grading import App, Draw, Failed, GraderTwin, check, every, same


@check(
    cites='`POST /members` with the JSON object `{"name": …, "email": …}` creates exactly one customer with '
    "that name and that e-mail address, and answers 201 with `{\"member\": \"<the customer's id>\"}`."
)
def customer_is_created(app: App, twin: GraderTwin, draw: Draw) -> None:
    person = draw.person()
    answer = app.call("POST", "/members", json=person._asdict(), status=201)
    for customer in every(twin.created("customer"), "customers"):
        same(customer["name"], person.name, "the customer's name")
        same(customer["email"], person.email, "the customer's e-mail address")
        same(answer, {"member": customer["id"]}, "the answer")
    twin.no_writes_but("POST /v1/customers")


@check(cites="A sign-up without an e-mail address answers 400 and creates nothing.")
def email_is_needed(app: App, twin: GraderTwin, draw: Draw) -> None:
    app.call("POST", "/members", json={"name": draw.person().name}, status=400)
    twin.no_writes_but()


@check(
    cites="A sign-up that is repeated with the same `Idempotency-Key` header answers 201 with the same member and "
    "creates no second customer."
)
def repetition_creates_no_second(app: App, twin: GraderTwin, draw: Draw) -> None:
    person = draw.person()._asdict()
    headers = {"idempotency-key": draw.word()}
    first = app.call("POST", "/members", json=person, headers=headers, status=201)
    second = app.call("POST", "/members", json=person, headers=headers, status=201)
    same(second, first, "the answer to the repetition")
    if len(twin.created("customer")) != 1:
        raise Failed("the repetition made another customer", writes=twin.writes())


@check(cites="The front page at `/` still says `Reading room`.", given=True)
def front_page_is_kept(app: App) -> None:
    response = app.get("/")
    if response.status_code != 200 or "Reading room" not in response.text:
        raise Failed("the front page is gone", status=response.status_code)
