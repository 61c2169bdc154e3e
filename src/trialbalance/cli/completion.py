"""`trialbalance completion`: tab completion for a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
      bash: eval "$(trialbalance completion bash)"       in ~/.bashrc
      zsh:  eval "$(trialbalance completion zsh)"        in ~/.zshrc
      fish: trialbalance completion fish > ~/.config/fish/completions/trialbalance.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    root = context.find_root()
    click.echo(kind(root.command, {}, "trialbalance", "_TRIALBALANCE_COMPLETE").source())
