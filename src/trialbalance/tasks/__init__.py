"""Task directories: read, validated, prepared, and proved sound.
 `load_task`, `find_task`, `find_tasks` and `load_suite` read; `prepare` makes the tree that an agent starts
from, once; `open_environment` puts it into a sandbox with a payments twin; `check` proves a task with a
grader that it is given.
"""
