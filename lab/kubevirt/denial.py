"""How an admission webhook of KubeVirt says no (kubevirt sheet §1.3)."""

from __future__ import annotations

from lab.apiserver.errors import ApiError, Cause


def refused(webhook: str, message: str) -> ApiError:
    """400 with one sentence."""
    return ApiError(400, "BadRequest", _text(webhook, message))


def invalid_for(webhook: str, *causes: Cause) -> ApiError:
    """422 with a list of causes."""
    details = {"causes": [cause.to_json() for cause in causes]}
    return ApiError(422, "Invalid", _text(webhook, ", ".join(cause.message for cause in causes)), details)


def _text(webhook: str, message: str) -> str:
    return f'admission webhook "{webhook}" denied the request: {message}'
