"""What can be wrong with a task.

```
TaskError            one line: where, what, with which value, and what to do
├── ProfileError     task.toml or a file of the directory breaks the profile
├── SuiteError       a suite names what is not there
├── PrepareError     the environment could not be prepared
└── AttemptError     a solution or an overlay could not be applied
```
"""

from __future__ import annotations


class TaskError(Exception):
    """Base of everything this package raises on purpose."""


class ProfileError(TaskError):
    """A task's directory or its task.toml is not in our profile of Harbor's format."""


class SuiteError(TaskError):
    """A suite cannot be read, or names a task or a version that is not there."""


class PrepareError(TaskError):
    """A task's environment could not be prepared."""


class AttemptError(TaskError):
    """A solution or an overlay of ours could not be applied."""
