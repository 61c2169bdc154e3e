"""`trialbalance twin …`: the twin as a product of its own."""

from __future__ import annotations

import asyncio
import errno
import json
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from trialbalance.contract import load
from trialbalance.twin.config import TlsFiles, TwinConfig
from trialbalance.twin.wire.versions import KNOWN, all_changes

DEFAULT_PORT = 12111
EXAMPLE = 'stripe.api_base = "{url}"; stripe.api_key = "{key}"'


class TwinUsageError(click.ClickException):
    """A one-line error with exit code 2."""

    exit_code = 2


@click.group(
    name="twin",
    help="Run and inspect the payments twin, a Stripe-compatible test-mode API.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
def twin() -> None:
    """The group; see the commands."""


def _version(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and value not in KNOWN:
        raise click.BadParameter(
            f"{value!r} is no API version; the newest is {KNOWN[-1]} (see `twin versions`)"
        )
    return value


@twin.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(0, 65535), help="0 picks one."
)
@click.option(
    "--control-port", default=0, type=click.IntRange(0, 65535), help="Port of the control plane (0 picks)."
)
@click.option("--seed", default=0, show_default=True, help="Draws ids, secrets and keys.")
@click.option("--any-key", is_flag=True, help="Accept every well-formed sk_test_/pk_test_ key.")
@click.option(
    "--api-version", callback=_version, metavar="VERSION", help="The account's default API version."
)
@click.option("--clock", type=int, metavar="SECONDS", help="Unix second to start at (default: now).")
@click.option("--frozen", is_flag=True, help="Let time stand still until the control plane moves it.")
@click.option(
    "--db", type=click.Path(dir_okay=False, path_type=Path), help="Keep every acknowledged write in FILE."
)
@click.option(
    "--journal", type=click.Path(dir_okay=False, path_type=Path), help="Append the journal to FILE."
)
@click.option(
    "--state", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Seed from a YAML FILE."
)
@click.option("--tls", is_flag=True, help="Serve HTTPS with a certificate of our own (its path is printed).")
@click.option(
    "--no-raw-cards", is_flag=True, help="Refuse card numbers sent with a secret key, as a new account does."
)
@click.option("--json", "as_json", is_flag=True, help="Print the settings as one JSON line.")
def serve(**options: Any) -> None:
    """Serve a twin until Ctrl-C.

    Prints its URL, a secret key and a publishable key. Point any official SDK at the URL.
    """
    from trialbalance.twin.control import ControlError, application, play
    from trialbalance.twin.ledger.durable import Durable, DurableError
    from trialbalance.twin.server import DataPlane, Listener
    from trialbalance.twin.server import serve as run
    from trialbalance.twin.twin import Twin

    host = options["host"]
    data = _listen(host, options["port"], "--port")
    control = _listen("127.0.0.1", options["control_port"], "--control-port")
    scheme = "https" if options["tls"] else "http"
    url = f"{scheme}://{host}:{data.getsockname()[1]}"
    config = TwinConfig(
        seed=options["seed"],
        api_version=options["api_version"],
        any_key=options["any_key"],
        clock=options["clock"],
        frozen=options["frozen"],
        raw_card_numbers=not options["no_raw_cards"],
        base_url=url,
    )
    try:
        twin_ = Twin(config=config, journal=options["journal"])
        if options["db"]:
            Durable.attach(twin_, options["db"])
        if options["state"]:
            from trialbalance.twin.state import read_state

            play(twin_, read_state(options["state"]))
    except (ControlError, DurableError, OSError) as problem:
        raise TwinUsageError(str(problem)) from None
    plane, token = application(twin_)
    tls, authority = _certificate(host) if options["tls"] else (None, None)
    control_url = f"http://127.0.0.1:{control.getsockname()[1]}"
    settings = {
        "url": url,
        "secret_key": twin_.secret_key,
        "publishable_key": twin_.publishable_key,
        "control_url": control_url,
        "control_token": token,
        "certificate_authority": str(authority) if authority else None,
    }

    def ready() -> None:
        click.echo(
            json.dumps(settings) if options["as_json"] else _greeting(settings, config, options["any_key"])
        )
        sys.stdout.flush()

    async def main() -> None:
        stop = asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        await run(
            [(DataPlane(twin_), Listener(data, tls)), (plane, Listener(control))],
            twin=twin_,
            ready=ready,
            stop=stop,
        )

    import uvloop

    uvloop.run(main())
    twin_.journal.close()


def _greeting(settings: dict[str, Any], config: TwinConfig, any_key: bool) -> str:
    lines = [
        f"The twin listens on {settings['url']}  (API version {config.default_version})",
        f"  secret key       {settings['secret_key']}",
        f"  publishable key  {settings['publishable_key']}",
        f"  control plane    {settings['control_url']}  token {settings['control_token']}",
        f"  inspector        {settings['control_url']}/#token={settings['control_token']}",
    ]
    if any_key:
        lines.append("  every well-formed sk_test_ and pk_test_ key is accepted")
    if settings["certificate_authority"]:
        lines.append(f"  trust            {settings['certificate_authority']}")
    lines.append(f"Python: {EXAMPLE.format(url=settings['url'], key=settings['secret_key'])}")
    lines.append("Ctrl-C stops it.")
    return "\n".join(lines)


def _listen(host: str, port: int, option: str) -> socket.socket:
    try:
        return socket.create_server((host, port), backlog=512)
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            raise TwinUsageError(
                f"port {port} on {host} is taken; choose another with {option} (0 picks one)"
            ) from None
        raise TwinUsageError(f"cannot listen on {host}:{port}: {problem.strerror}") from None


def _certificate(host: str) -> tuple[TlsFiles, Path]:
    import trustme

    directory = Path(tempfile.mkdtemp(prefix="twin-tls-"))
    authority = trustme.CA(organization_name="Trial Balance twin")
    leaf = authority.issue_cert(host, "localhost", "127.0.0.1")
    ca, chain, key = directory / "ca.pem", directory / "chain.pem", directory / "key.pem"
    authority.cert_pem.write_to_path(str(ca))
    for blob in leaf.cert_chain_pems:
        blob.write_to_path(str(chain), append=True)
    leaf.private_key_pem.write_to_path(str(key))
    key.chmod(0o600)
    return TlsFiles(chain, key), ca


@twin.command()
@click.option("--url", default=f"http://127.0.0.1:{DEFAULT_PORT}", show_default=True, help="The twin's URL.")
@click.option(
    "--key", envvar="STRIPE_API_KEY", required=True, help="A secret key of the twin (or STRIPE_API_KEY)."
)
@click.option(
    "--forward-to", required=True, metavar="URL", help="Where to post events, such as localhost:4242/hook."
)
@click.option("--events", default="*", show_default=True, help="Comma-separated event types.")
@click.option("--api-version", callback=_version, metavar="VERSION", help="Version of the event payloads.")
@click.option("--connect", is_flag=True, help="Forward the events of connected accounts instead.")
def listen(url: str, key: str, forward_to: str, events: str, api_version: str | None, connect: bool) -> None:
    """Forward a running twin's events to a local address and show how each delivery went.

    Prints the signing secret first. Ctrl-C removes the endpoint again.
    """
    from trialbalance.twin.listen import ListenError
    from trialbalance.twin.listen import listen as run

    try:
        run(
            url, key, forward_to, events.split(","), api_version=api_version, connect=connect, echo=click.echo
        )
    except ListenError as problem:
        raise TwinUsageError(str(problem)) from None


@twin.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def versions(as_json: bool) -> None:
    """List every breaking change that the twin carries requests and responses across."""
    changes = sorted(all_changes(), key=lambda c: (c.version, c.description), reverse=True)
    if as_json:
        rows = [{"version": c.version, "description": c.description, "source": c.source} for c in changes]
        click.echo(json.dumps(rows, indent=2))
        return
    newest = None
    for change in changes:
        if change.version != newest:
            newest = change.version
            click.secho(newest, bold=True)
        click.echo(f"  {change.description}")
        click.secho(f"    {change.source}", dim=True)
    click.echo(f"{len(changes)} changes; versions {KNOWN[0]} to {KNOWN[-1]} are answered.")


@twin.command()
@click.option(
    "--write",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the page to FILE (docs/coverage.md).",
)
@click.option("--check", type=click.Path(dir_okay=False, path_type=Path), help="Fail when FILE is stale.")
def coverage(write: Path | None, check: Path | None) -> None:
    """Show what is built: endpoints and parameters per resource, from the contract and the handlers."""
    from trialbalance.twin.coverage import page

    text = page(load())
    if write:
        write.write_text(text, encoding="utf-8")
        click.echo(f"wrote {write}")
    elif check:
        if not check.exists() or check.read_text(encoding="utf-8") != text:
            raise TwinUsageError(f"{check} is stale; run `trialbalance twin coverage --write {check}`")
        click.echo(f"{check} is fresh")
    else:
        click.echo(text)
