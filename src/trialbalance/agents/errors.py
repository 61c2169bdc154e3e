"""What can go wrong in running an agent, as opposed to what an agent does wrong.

```
AgentError
├── UnknownAgent        no agent of that name is known, or it is not built yet
├── AgentUnavailable    its program, or something it needs, is missing on this machine
└── AgentBroken         it could not be given its tools or its model: the trial says nothing about it
```
"""


class AgentError(Exception):
    """Base of them all; the message is one line that says what to do."""


class UnknownAgent(AgentError):
    """No agent of that name can run."""


class AgentUnavailable(AgentError):
    """Something that the agent needs is missing on this machine."""


class AgentBroken(AgentError):
    """The harness failed the agent; the trial is invalid."""
