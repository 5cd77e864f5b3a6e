"""The read side: functions that return dataclasses. No ORM object reaches a template."""
