"""Where spans go and what they may hold, from the settings; nothing of OpenTelemetry is imported for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from stationmaster.settings import Settings

TRACES_PATH = "/v1/traces"


@dataclass(frozen=True)
class Destination:
    """An OTLP/HTTP endpoint for traces, whole; `content`: prompts, answers and arguments go there too."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    service: str = "stationmaster"
    content: bool = False

    @property
    def shown(self) -> str:
        """Host and port: an address may hold a password, a path a key."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def destination(settings: Settings) -> Destination | None:
    """None where nobody asked for spans: no endpoint is set, or OTEL_SDK_DISABLED."""
    if settings.otel_traces_endpoint:
        url = settings.otel_traces_endpoint
    elif settings.otel_endpoint:
        url = settings.otel_endpoint.rstrip("/") + TRACES_PATH
    else:
        return None
    if settings.otel_disabled:
        return None
    headers = {name: value.get_secret_value() for name, value in settings.otel_headers}
    return Destination(url, headers, settings.otel_service_name, settings.trace_content)
