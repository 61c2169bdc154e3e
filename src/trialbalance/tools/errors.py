"""What can go wrong in a tool.

```
ToolsError
└── ToolFailure     the call failed in a way that the agent should read and act on
```
"""


class ToolsError(Exception):
    """Base of the errors of the tool server."""


class ToolFailure(ToolsError):
    """A call failed; the message is for the agent, and says what to do instead."""
