"""Draws everything about one API call but its prompt: answer, times, reason to stop."""

from random import Random

from workers.traces import published
from workers.traces.plan import Plan
from workers.traces.published import Quantiles
from workers.traces.weka import Request

#: A streamed answer starts somewhere in this part of its server time; the published set gives no split.
_FIRST_TOKEN = (0.2, 0.8)


class Calls:
    """Calls of one conversation, one after the other, on a clock of whole milliseconds."""

    def __init__(self, plan: Plan, random: Random, model: str, think: Quantiles, start: int) -> None:
        self._plan = plan
        self._random = random
        self._model = model
        self._think = think
        self._stop = ""
        #: When the last answer was complete.
        self.end = start

    def idle(self) -> int:
        """Idle time before the next call."""
        return self._plan.idle_milliseconds(self._draw(self._think))

    def call(self, prompt: list[int], idle: int, last: bool) -> Request:
        """The next call, ``idle`` after the answer before it; the last one of a conversation ends it."""
        api_time = max(1, self._plan.milliseconds(self._draw(published.API_TIME)))
        low, high = _FIRST_TOKEN
        ttft = max(1, round(api_time * (low + (high - low) * self._random.random())))
        streamed = self._random.random() < published.STREAMED
        before, self._stop = self._stop, "end_turn" if last else self._reason()
        at, self.end = self.end + idle, self.end + idle + api_time
        return Request.model_validate(
            {
                "t": at / 1000,
                "type": "s" if streamed else "n",
                "model": self._model,
                "in": len(prompt) * self._plan.block_size,
                "out": self._plan.answer_tokens(self._draw(published.OUTPUT)),
                "hash_ids": prompt,
                "input_types": ["tool_result" if before == "tool_use" else "text"],
                "output_types": ["text", "tool_use"] if self._stop == "tool_use" else ["text"],
                "stop": self._stop,
                "api_time": api_time / 1000,
                "think_time": idle / 1000,
                "ttft": ttft / 1000 if streamed else None,
            }
        )

    def _draw(self, quantiles: Quantiles) -> float:
        return quantiles.at(self._random.random())

    def _reason(self) -> str:
        drawn = self._random.random()
        for reason, share in published.STOPS.items():
            drawn -= share
            if drawn < 0:
                return reason
        return "end_turn"
