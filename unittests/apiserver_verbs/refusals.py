"""What a refused request says."""

from collections.abc import Callable
from typing import Any

import pytest

from lab.apiserver.errors import ApiError


def refusal(call: Callable[..., object], *args: Any, **kwargs: Any) -> ApiError:
    """The error a call ends with."""
    with pytest.raises(ApiError) as caught:
        call(*args, **kwargs)
    return caught.value


def cause(error: ApiError) -> tuple[str, str, str]:
    """Reason, message and field of the only cause."""
    assert error.details is not None
    (found,) = error.details["causes"]  # type: ignore[misc]
    return found["reason"], found["message"], found.get("field", "")
