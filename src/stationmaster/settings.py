"""The settings: every variable that Stationmaster reads, and the only place that reads the environment."""

import re
from base64 import b64decode
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from stationmaster.environment import ENV_FILE, SettingsError, databases_first, load
from stationmaster.receivers import Channel, EventUrl, channels, event_urls, only_over_tls
from stationmaster.reviews.access.identity import ROLES

__all__ = ["ApiKey", "Settings", "SettingsError", "load_settings"]

Port = Annotated[int, Field(ge=1, le=65535)]
TENANT = re.compile(r"(?!main$)[a-z0-9][a-z0-9-]{0,62}")
Text = Annotated[str, Field(min_length=1)]
DATABASE_URI = AliasChoices("STATIONMASTER_DATABASE_URI", "DATABASE_URI")


def split_commas(value: object) -> object:
    """`a, b` as ["a", "b"]; anything that is no text is left for pydantic to judge."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def webhook_secret(value: SecretStr) -> SecretStr:
    """As Standard Webhooks writes it (`whsec_` and base64), or any text that a header can carry."""
    text = value.get_secret_value()
    if len(text) < 16 or not text.isascii() or not text.isprintable() or set(text) & set(" ,"):
        raise ValueError("must be 16 characters or more, ASCII, without spaces and commas")
    if text.startswith("whsec_"):
        key = text.removeprefix("whsec_")
        if len(b64decode(key + "=" * (-len(key) % 4), validate=True)) < 16:
            raise ValueError("after whsec_ must come base64 of 16 bytes or more")
    return value


class ApiKey(BaseModel):
    """A key that the server accepts, and the name under which its holder appears in the audit.

    Written `name:key`, or `name@tenant:key` for one that sees nothing but its tenant's.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)
    name: Text
    key: SecretStr = Field(min_length=16)
    tenant: str | None = None


def _api_key(named: str, key: str) -> ApiKey:
    name, at, tenant = named.partition("@")
    return ApiKey.model_construct(name=name, key=SecretStr(key), tenant=tenant if at else None)


WebhookSecret = Annotated[SecretStr, AfterValidator(webhook_secret)]


class Settings(BaseSettings):
    """Environment first, then `.env` in the working directory; an empty value counts as unset."""

    model_config = SettingsConfigDict(
        env_file=ENV_FILE, case_sensitive=True, env_ignore_empty=True, extra="ignore", frozen=True,
        hide_input_in_errors=True, populate_by_name=True,
    )  # fmt: skip

    database_uri: str | None = Field(None, validation_alias=DATABASE_URI, repr=False)
    data_dir: Path = Field(
        Path(".stationmaster"), validation_alias="STATIONMASTER_DATA_DIR", validate_default=True
    )
    host: Text = Field("127.0.0.1", validation_alias="STATIONMASTER_HOST")
    port: Port = Field(2024, validation_alias="STATIONMASTER_PORT")
    console_port: Port = Field(2025, validation_alias="STATIONMASTER_CONSOLE_PORT")
    api_url: str | None = Field(None, validation_alias="STATIONMASTER_API_URL", pattern=r"^https?://[^/]")
    api_key: SecretStr | None = Field(None, validation_alias="STATIONMASTER_API_KEY")
    targets: Annotated[tuple[tuple[str, str], ...], NoDecode] = Field(
        (), validation_alias="STATIONMASTER_TARGETS"
    )
    target_keys: Annotated[tuple[ApiKey, ...], NoDecode] = Field(
        (), validation_alias="STATIONMASTER_TARGET_KEYS"
    )
    api_keys: Annotated[tuple[ApiKey, ...], NoDecode] = Field((), validation_alias="STATIONMASTER_API_KEYS")
    local_key: SecretStr | None = Field(None, validation_alias="STATIONMASTER_LOCAL_KEY")
    studio: bool = Field(default=False, validation_alias="STATIONMASTER_STUDIO")
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (), validation_alias="STATIONMASTER_CORS_ORIGINS"
    )
    runtime_edition: Literal["inmem", "community"] = Field(
        "community", validation_alias="STATIONMASTER_RUNTIME_EDITION"
    )
    console_url: str | None = Field(
        None, validation_alias="STATIONMASTER_CONSOLE_URL", pattern=r"^https?://[^/]"
    )
    console_token: SecretStr | None = Field(None, validation_alias="STATIONMASTER_CONSOLE_TOKEN")
    jobs: int = Field(10, ge=1, validation_alias="STATIONMASTER_JOBS")
    log_level: Literal["debug", "info", "warning", "error", "critical"] = Field(
        "warning", validation_alias="STATIONMASTER_LOG_LEVEL"
    )
    public_url: str | None = Field(
        None, validation_alias="STATIONMASTER_PUBLIC_URL", pattern=r"^https?://[^/?#]+/?$"
    )
    session_hours: float = Field(12, gt=0, le=24 * 90, validation_alias="STATIONMASTER_SESSION_HOURS")
    oidc_issuer: str | None = Field(
        None, validation_alias="STATIONMASTER_OIDC_ISSUER", pattern=r"^https?://[^/]"
    )
    oidc_client_id: str | None = Field(None, validation_alias="STATIONMASTER_OIDC_CLIENT_ID")
    oidc_client_secret: SecretStr | None = Field(None, validation_alias="STATIONMASTER_OIDC_CLIENT_SECRET")
    oidc_scopes: Text = Field("openid profile email", validation_alias="STATIONMASTER_OIDC_SCOPES")
    oidc_groups_claim: Text = Field("groups", validation_alias="STATIONMASTER_OIDC_GROUPS_CLAIM")
    oidc_roles: Annotated[tuple[tuple[str, str], ...], NoDecode] = Field(
        (), validation_alias="STATIONMASTER_OIDC_ROLES"
    )
    webhook_url: str | None = Field(
        None, validation_alias="STATIONMASTER_WEBHOOK_URL", pattern=r"^https?://[^/]"
    )
    webhook_secret: WebhookSecret | None = Field(None, validation_alias="LG_WEBHOOK_SECRET")
    webhook_secrets: Annotated[tuple[WebhookSecret, ...], NoDecode] = Field(
        (), validation_alias="STATIONMASTER_WEBHOOK_SECRETS"
    )
    undo_s: float = Field(8, ge=0, le=60, validation_alias="STATIONMASTER_UNDO_S")
    assistants: Path = Field(Path("assistants"), validation_alias="STATIONMASTER_ASSISTANTS")
    crons: Path = Field(Path("crons"), validation_alias="STATIONMASTER_CRONS")
    allow_drift: bool = Field(default=False, validation_alias="STATIONMASTER_ALLOW_DRIFT")
    retention_days: float = Field(30, ge=0, le=36_500, validation_alias="STATIONMASTER_RETENTION_DAYS")
    exports: Path = Field(Path("exports"), validation_alias="STATIONMASTER_EXPORTS")
    policies: Path = Field(Path("webhooks/policies"), validation_alias="STATIONMASTER_POLICIES")
    audit_key: SecretStr | None = Field(None, validation_alias="STATIONMASTER_AUDIT_KEY", min_length=16)
    event_private: bool = Field(default=False, validation_alias="STATIONMASTER_EVENT_PRIVATE")
    event_urls: Annotated[tuple[EventUrl, ...], NoDecode] = Field(
        (), validation_alias="STATIONMASTER_EVENT_URLS"
    )
    channels: Annotated[tuple[Channel, ...], NoDecode] = Field((), validation_alias="STATIONMASTER_CHANNELS")
    payments_url: str | None = Field(None, validation_alias="PAYMENTS_URL", pattern=r"^https?://[^/]")
    payments_key: SecretStr | None = Field(None, validation_alias="PAYMENTS_API_KEY")
    web_search_url: str = Field(
        "https://api.tavily.com/search", validation_alias="WEB_SEARCH_URL", pattern=r"^https?://[^/]"
    )
    web_search_key: SecretStr | None = Field(None, validation_alias="WEB_SEARCH_API_KEY")
    research_folder: Path | None = Field(None, validation_alias="STATIONMASTER_RESEARCH_FOLDER")
    sql_reader_uri: SecretStr | None = Field(None, validation_alias="STATIONMASTER_SQL_READER_URI")
    sql_writer_uri: SecretStr | None = Field(None, validation_alias="STATIONMASTER_SQL_WRITER_URI")
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(None, validation_alias="OPENAI_BASE_URL", pattern=r"^https?://[^/]")
    langsmith_tracing: bool = Field(default=False, validation_alias="LANGSMITH_TRACING")
    langsmith_api_key: SecretStr | None = Field(None, validation_alias="LANGSMITH_API_KEY")
    langsmith_project: str | None = Field(None, validation_alias="LANGSMITH_PROJECT")
    langsmith_endpoint: str | None = Field(
        None, validation_alias="LANGSMITH_ENDPOINT", pattern=r"^https?://[^/]"
    )
    otel_endpoint: str | None = Field(
        None, validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT", pattern=r"^https?://[^/]", repr=False
    )
    otel_traces_endpoint: str | None = Field(
        None, validation_alias="OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", pattern=r"^https?://[^/]", repr=False
    )
    otel_headers: Annotated[tuple[tuple[str, SecretStr], ...], NoDecode] = Field(
        (), validation_alias="OTEL_EXPORTER_OTLP_HEADERS"
    )
    otel_protocol: Text = Field("http/protobuf", validation_alias="OTEL_EXPORTER_OTLP_PROTOCOL")
    otel_service_name: Text = Field("stationmaster", validation_alias="OTEL_SERVICE_NAME")
    otel_disabled: bool = Field(default=False, validation_alias="OTEL_SDK_DISABLED")
    trace_content: bool = Field(default=False, validation_alias="STATIONMASTER_TRACE_CONTENT")

    @property
    def exports_dir(self) -> Path:
        """Seen from the data directory: servers run in another directory than commands."""
        return self.data_dir / self.exports.expanduser()

    @property
    def research_root(self) -> Path | None:
        """Below which each tenant has a folder of documents; from the data directory."""
        return self.data_dir / self.research_folder.expanduser() if self.research_folder else None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[Any, ...]:
        return init_settings, *databases_first(env_settings, dotenv_settings)

    @field_validator("data_dir")
    @classmethod
    def absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("database_uri")
    @classmethod
    def postgres_only(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("postgresql://", "postgres://")):
            raise ValueError("must start with postgresql://")
        return value

    @field_validator("log_level", mode="before")
    @classmethod
    def lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("cors_origins", "webhook_secrets", mode="before")
    @classmethod
    def listed(cls, value: object) -> object:
        return split_commas(value)

    @field_validator("oidc_roles", mode="before")
    @classmethod
    def group_roles(cls, value: object) -> object:
        """`group:role` pairs; a group's name may hold a colon, a role's doesn't."""
        parts = split_commas(value)
        if not isinstance(value, str) or not isinstance(parts, list):
            return value
        pairs = [(group.strip(), role.strip()) for group, _, role in (part.rpartition(":") for part in parts)]
        if not all(group and role in ROLES for group, role in pairs):
            raise ValueError(f"must be comma separated group:role pairs, role one of {', '.join(ROLES)}")
        return pairs

    @field_validator("targets", mode="before")
    @classmethod
    def named_urls(cls, value: object) -> object:
        """`name=URL` pairs."""
        parts = split_commas(value)
        if not isinstance(value, str) or not isinstance(parts, list):
            return value
        pairs = [
            (name.strip(), url.strip().rstrip("/"))
            for name, _, url in (part.partition("=") for part in parts)
        ]
        if not all(name and url.startswith(("http://", "https://")) for name, url in pairs):
            raise ValueError("must be comma separated name=URL pairs, like prod=https://agents.example.com")
        if len(dict(pairs)) < len(pairs):
            raise ValueError("names must be unique")
        return pairs

    @field_validator("otel_headers", mode="before")
    @classmethod
    def sent_along(cls, value: object) -> object:
        """`name=value` pairs, values percent-encoded, as OpenTelemetry writes them; a message never repeats one."""
        parts = split_commas(value)
        if not isinstance(value, str) or not isinstance(parts, list):
            return value
        pairs = [
            (name.strip(), unquote(text.strip())) for name, _, text in (part.partition("=") for part in parts)
        ]
        if not all(name and text for name, text in pairs):
            raise ValueError("must be comma separated name=value pairs, like authorization=Bearer%20abc")
        return pairs

    @field_validator("otel_protocol")
    @classmethod
    def spoken(cls, value: str, info: ValidationInfo) -> str:
        """A machine may have it for others; it counts where spans are sent."""
        sends = info.data.get("otel_endpoint") or info.data.get("otel_traces_endpoint")
        if value != "http/protobuf" and sends:
            raise ValueError("must be http/protobuf, for which collectors listen on port 4318")
        return value

    @field_validator("api_keys", "target_keys", mode="before")
    @classmethod
    def named_keys(cls, value: object) -> object:
        """`name:key` pairs; a message never repeats the key."""
        parts = split_commas(value)
        if not isinstance(value, str) or not isinstance(parts, list):
            return value
        pairs = [part.partition(":") for part in parts]
        if not all(name.strip() and key.strip() for name, _, key in pairs):
            raise ValueError("must be comma separated name:key pairs")
        return [_api_key(name.strip(), key.strip()) for name, _, key in pairs]

    @field_validator("event_urls", mode="before")
    @classmethod
    def signed_urls(cls, value: object) -> object:
        return event_urls(value) if isinstance(value, str) else value

    @field_validator("event_urls")
    @classmethod
    def over_tls(cls, value: tuple[EventUrl, ...], info: ValidationInfo) -> tuple[EventUrl, ...]:
        return value if info.data.get("event_private") else only_over_tls(value)

    @field_validator("channels", mode="before")
    @classmethod
    def grouped_channels(cls, value: object) -> object:
        return channels(value) if isinstance(value, str) else value

    @field_validator("api_keys")
    @classmethod
    def strong_and_distinct(cls, value: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
        if short := [entry.name for entry in value if len(entry.key.get_secret_value()) < 16]:
            raise ValueError(f"the key of {short[0]} is shorter than 16 characters")
        if len({entry.name for entry in value}) < len(value):
            raise ValueError("names must be unique")
        if odd := [
            entry for entry in value if entry.tenant is not None and not TENANT.fullmatch(entry.tenant)
        ]:
            raise ValueError(
                f"the tenant of {odd[0].name} must be small letters, digits and dashes, and not `main`, which is the "
                "operators' own"
            )
        return value

    @field_validator("target_keys")
    @classmethod
    def of_no_tenant(cls, value: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
        if named := [entry.name for entry in value if entry.tenant is not None]:
            raise ValueError(
                f"{named[0]} is a target's name: a key's tenant is known to the server that it is for"
            )
        return value


def load_settings() -> Settings:
    """The settings of this process; SettingsError names the variable, where it was set and the way out."""
    return load(Settings)
