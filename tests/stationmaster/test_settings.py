"""Settings: where values come from, what is refused and how, and that .env.example tells the truth."""

import re
from pathlib import Path

import pytest

from stationmaster.environment import variables
from stationmaster.settings import Settings, SettingsError, load_settings

ROOT = Path(__file__).parents[2]
NAMES = {alias for aliases in variables(Settings).values() for alias in aliases}
EXAMPLE = re.compile(r"(?m)^# (?P<purpose>\S.*)\n#(?P<name>[A-Z_]+)=(?P<value>.*)$")


@pytest.fixture(autouse=True)
def clean_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No setting of the machine, and a working directory without `.env`."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def env_file(text: str) -> None:
    Path(".env").write_text(text)


def test_every_setting_is_in_the_example_once_with_a_line_on_what_it_is_for() -> None:
    text = (ROOT / ".env.example").read_text()
    assert sorted(match["name"] for match in EXAMPLE.finditer(text)) == sorted(NAMES)
    assert sum("=" in line.split()[0] for line in text.splitlines() if line) == len(NAMES)


def test_the_example_shows_the_defaults(clean_place: Path) -> None:
    example = (ROOT / ".env.example").read_text()
    before = load_settings()
    env_file(re.sub(r"(?m)^#([A-Z_]+=)", r"\1", example))
    assert load_settings() == before
    shown = {match["name"] for match in EXAMPLE.finditer(example) if match["value"]}
    fields = Settings.model_fields
    with_default = {
        names[0] for field, names in variables(Settings).items() if fields[field].default not in (None, ())
    }
    assert shown == with_default


def test_the_environment_wins_and_an_empty_value_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    env_file("STATIONMASTER_PORT=3000\nSTATIONMASTER_HOST=0.0.0.0\n")
    monkeypatch.setenv("STATIONMASTER_PORT", "4000")
    monkeypatch.setenv("STATIONMASTER_HOST", "")
    settings = load_settings()
    assert (settings.port, settings.host) == (4000, "0.0.0.0")


@pytest.mark.parametrize(
    ("environment", "file", "wanted"),
    [
        ({}, "", None),
        ({"DATABASE_URI": "postgresql://env"}, "", "postgresql://env"),
        ({"DATABASE_URI": ":memory:"}, "", None),
        ({"DATABASE_URI": ":memory:"}, "DATABASE_URI=postgresql://file", "postgresql://file"),
        (
            {"DATABASE_URI": "postgresql://image"},
            "STATIONMASTER_DATABASE_URI=postgresql://own",
            "postgresql://own",
        ),
        (
            {"DATABASE_URI": "postgresql://env", "STATIONMASTER_DATABASE_URI": "postgresql://own"},
            "DATABASE_URI=postgresql://file",
            "postgresql://own",
        ),
        ({"DATABASE_URI": "postgresql://env"}, "DATABASE_URI=postgresql://file", "postgresql://env"),
    ],
)
def test_which_database_counts(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], file: str, wanted: str | None
) -> None:
    """`langgraph dev` sets DATABASE_URI to :memory: in its process, and the server images set their own."""
    env_file(file)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert load_settings().database_uri == wanted


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("STATIONMASTER_PORT", "http", "valid integer"),
        ("STATIONMASTER_PORT", "70000", "less than or equal to 65535"),
        ("STATIONMASTER_JOBS", "0", "greater than or equal to 1"),
        ("STATIONMASTER_LOG_LEVEL", "chatty", "'debug', 'info'"),
        ("STATIONMASTER_RUNTIME_EDITION", "postgres", "'inmem'"),
        ("STATIONMASTER_STUDIO", "maybe", "valid boolean"),
        ("DATABASE_URI", "mysql://secretsecretsecret", "must start with postgresql://"),
        ("STATIONMASTER_API_URL", "127.0.0.1:2024", "pattern"),
        ("OPENAI_BASE_URL", "localhost:8000/v1", "pattern"),
        ("STATIONMASTER_API_KEYS", "secretsecretsecret", "name:key"),
        ("STATIONMASTER_API_KEYS", "desk:secretsecret", "key of desk is shorter than 16"),
        ("STATIONMASTER_API_KEYS", "a:secretsecretsecret,a:secretsecretsecre2", "unique"),
        ("STATIONMASTER_API_KEYS", "a@x:secretsecretsecret,a@y:secretsecretsecre2", "unique"),
        ("STATIONMASTER_API_KEYS", "a@:secretsecretsecret", "the tenant of a must be small letters"),
        ("STATIONMASTER_API_KEYS", "a@main:secretsecretsecret", "not `main`"),
        ("STATIONMASTER_API_KEYS", "a@X.de:secretsecretsecret", "the tenant of a must be small letters"),
        ("STATIONMASTER_TARGET_KEYS", "a@x:secretsecretsecret", "known to the server that it is for"),
    ],
)
@pytest.mark.parametrize("place", ["environment", "file"])
def test_a_bad_value_is_named_with_its_place_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, reason: str, place: str
) -> None:
    if place == "file":
        env_file(f"# first\nSTATIONMASTER_HOST=localhost\n{name}={value}\n")
    else:
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=reason) as caught:
        load_settings()
    message = str(caught.value)
    assert message.startswith(
        f"{name} ({'in the environment' if place == 'environment' else '.env line 3'}): "
    )
    assert message.endswith("correct it; .env.example describes it")
    assert "secretsecret" not in message
    assert "\n" not in message
    assert caught.value.exit_code == 2


def test_a_misspelt_variable_is_refused_with_the_nearest_name(monkeypatch: pytest.MonkeyPatch) -> None:
    env_file("STATIONMASTER_HSOT=localhost\n")
    with pytest.raises(SettingsError, match=r"HSOT \(\.env line 1\) is no setting: .* STATIONMASTER_HOST\?"):
        load_settings()
    env_file("")
    monkeypatch.setenv("STATIONMASTER_APIKEY", "x")
    with pytest.raises(SettingsError, match=r"APIKEY \(in the environment\) .* STATIONMASTER_API_KEYS?\?"):
        load_settings()


def test_a_line_that_is_none_is_refused_with_its_number() -> None:
    env_file("STATIONMASTER_PORT=3000\nthis is = 'no line\n")
    with pytest.raises(SettingsError, match=r"\.env line 2 is no NAME=value line"):
        load_settings()


def test_api_keys_and_origins_are_lists_and_keys_stay_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATIONMASTER_API_KEYS", "desk:0123456789abcdef, ops : fedcba9876543210:x")
    monkeypatch.setenv("STATIONMASTER_CORS_ORIGINS", "https://a.example, https://b.example")
    settings = load_settings()
    keys = {entry.name: entry.key.get_secret_value() for entry in settings.api_keys}
    assert keys == {"desk": "0123456789abcdef", "ops": "fedcba9876543210:x"}
    assert settings.cors_origins == ("https://a.example", "https://b.example")
    assert "0123456789abcdef" not in repr(settings)


def test_secrets_are_not_in_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATIONMASTER_API_KEY", "STATIONMASTER_LOCAL_KEY", "PAYMENTS_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "secretsecretsecret")
    monkeypatch.setenv("DATABASE_URI", "postgresql://desk:secretsecretsecret@db/shop")
    assert "secretsecretsecret" not in repr(load_settings())
