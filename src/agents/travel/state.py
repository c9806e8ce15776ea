"""What the travel graph remembers; its peers share the same keys.

`messages`, `trip`, `active`, `turns` and `usage` live as long as the thread; the rest belongs to one request and is
cleared by `intake`. Keys that tools write have reducers, since a model may call two of them at once. A new field must
be optional and read with a default: threads that were paused by an older version hold no value for it.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langchain.agents.middleware.types import OmitFromInput
from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from agents.shared.failures import Failure
from agents.shared.limits import Usage, add_usage
from agents.shared.models.agent import Accounted

Peer: TypeAlias = Literal["flights", "hotels", "visas"]
PEERS: tuple[Peer, ...] = ("flights", "hotels", "visas")
Requirement: TypeAlias = Literal["none", "on_arrival", "eta", "required", "unknown"]
UNMET: frozenset[str] = frozenset({"required", "unknown"})
"""What stops a booking until the traveller says that it is met."""
Outcome: TypeAlias = Literal[
    "waiting",
    "held",
    "declined",
    "released",
    "answered",
    "sold_out",
    "at_limit",
    "stopped",
    "failed",
    "closed",
]


class Trip(TypedDict, total=False):
    """What the traveller wants. Places are codes, dates ISO; the budget is for the whole trip and everybody on it."""

    origin: str
    destination: str
    countries: list[str]
    """Of origin and destination."""
    zone: str
    """The time zone of the origin: days are counted there. Newer than the first release; UTC where it lacks."""
    depart_on: str
    return_on: str | None
    one_way: bool
    travellers: int
    budget_usd: float
    passports: list[str]
    hotel: bool


class Dates(TypedDict):
    """The dates that are looked at now: the traveller's own, or others that were tried."""

    depart_on: str
    return_on: str | None


class Flight(TypedDict):
    """A flight with enough seats; the price is for one traveller.

    `departs` and `arrives` are local to the places; the others are newer than the first release: the same as moments
    (ISO, UTC), and how long it takes.
    """

    id: str
    number: str
    origin: str
    destination: str
    departs: str
    arrives: str
    leaves_at: NotRequired[str]
    lands_at: NotRequired[str]
    minutes: NotRequired[int]
    price_usd: float
    seats_left: int


class Stay(TypedDict):
    """A hotel with enough rooms for all nights; the price is for all rooms and nights."""

    id: str
    name: str
    check_in: str
    check_out: str
    rooms: int
    total_usd: float


class NearbyFare(TypedDict):
    """What flights for everybody cost at least on other dates of the same length."""

    depart_on: str
    return_on: str | None
    flights_usd: float


class FlightsFound(TypedDict):
    """What a search for flights brought, cheapest first, and what they are on the days around."""

    depart_on: str
    return_on: str | None
    outbound: list[Flight]
    inbound: list[Flight]
    nearby: list[NearbyFare]


class HotelsFound(TypedDict):
    """What a search for rooms brought, cheapest first."""

    check_in: str
    check_out: str
    stays: list[Stay]


class Seen(TypedDict):
    """What one pair of dates came to: the cheapest way, or why there is none."""

    depart_on: str
    return_on: str | None
    total_usd: float | None
    says: str


class Visa(TypedDict):
    """What the table says about the passports for the destination."""

    country: str
    passports: list[str]
    requirement: Requirement
    says: str


class Draft(TypedDict):
    """What a peer proposes, by ids; what it costs is looked up again before anybody is asked."""

    outbound: str
    inbound: str | None
    hotel: str | None


class Offer(TypedDict):
    """What the traveller is asked about, priced. `digest` is of all that is shown, and names it in the book."""

    digest: str
    total_usd: float
    budget_usd: float | None
    travellers: int
    lines: list[str]
    visa: Requirement
    visa_says: str
    hold_minutes: int
    replaces: str | None


class Held(TypedDict):
    """A hold as the book has it."""

    reference: str
    total_usd: float
    expires_at: str
    status: str
    lines: list[str]


def latest(left: Any, right: Any) -> Any:
    """The newer value; of two tools that were called at once the later one's."""
    return right


def merge_trip(left: Trip | None, right: Trip | None) -> Trip:
    """What was known of the trip, and what is said now."""
    return {**(left or {}), **(right or {})}


def merge_seen(left: list[Seen] | None, right: list[Seen] | None) -> list[Seen]:
    """Each pair of dates once, as it was seen last, in the order in which they were tried."""
    found = {(seen["depart_on"], seen["return_on"]): seen for seen in [*(left or []), *(right or [])]}
    return list(found.values())


class Input(TypedDict):
    """What a traveller sends."""

    messages: Annotated[list[AnyMessage], add_messages]


class Common(TypedDict):
    """What the peers and the nodes around them read and write."""

    active: NotRequired[Annotated[Peer, latest]]
    """Who has the conversation: kept from turn to turn, changed by hand-offs."""
    today: NotRequired[str]
    """The date where the trip begins; until that is known, in the assistant's zone."""
    trip: NotRequired[Annotated[Trip, merge_trip]]
    dates: NotRequired[Annotated[Dates | None, latest]]
    date_tries: NotRequired[Annotated[int, latest]]
    flights_found: NotRequired[Annotated[FlightsFound | None, latest]]
    hotels_found: NotRequired[Annotated[HotelsFound | None, latest]]
    seen: NotRequired[Annotated[list[Seen], merge_seen]]
    visa: NotRequired[Annotated[Visa | None, latest]]
    draft: NotRequired[Annotated[Draft | None, latest]]
    release: NotRequired[Annotated[bool, latest]]
    """The traveller wants the hold to end."""
    hold: NotRequired[Annotated[Held | None, latest]]
    """The thread's live hold, read from the book when a request begins."""
    problem: NotRequired[Annotated[str | None, latest]]
    """What came in between: a seat that was taken, a price that moved."""
    handoffs: NotRequired[Annotated[int, latest]]
    idle_handoffs: NotRequired[Annotated[int, latest]]
    """Hand-offs in a row in which nobody did anything else."""
    model_calls: NotRequired[Annotated[int, latest]]
    stopped: NotRequired[Annotated[str | None, latest]]
    """Why the peers were stopped before they had an answer."""
    failures: NotRequired[Annotated[list[Failure], OmitFromInput, operator.add]]


class Shared(Accounted, Common):
    """A peer's state. `usage`, `degraded` and `failures` it does not get, and adds to: it begins with none."""


# check: allow many-keys: the record of one request, which `intake` clears as a whole; counters and findings of the
# peers have to go along with each hand-over
class State(Common):
    """The whole state; what a caller may send is `messages`."""

    messages: Annotated[list[AnyMessage], add_messages]
    usage: NotRequired[Annotated[Usage, add_usage]]
    degraded: NotRequired[Annotated[list[str], operator.add]]
    turns: NotRequired[int]
    offer: NotRequired[Offer | None]
    visa_agreed: NotRequired[str | None]
    """The digest of the offer for which the traveller says that there is a visa; the row that counts is in the book."""
    asked: NotRequired[int]
    """Questions of this request that came to nothing."""
    losses: NotRequired[int]
    itinerary: NotRequired[list[str]]
    """What was offered, in words. Newer than the first release; where it lacks, `backfill` reads it in the book."""
    decided_by: NotRequired[str | None]
    """Written beside an answer by the review service. Newer than the first release; a default is all it needs."""
    outcome: NotRequired[Outcome | None]


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it; `Overwrite` values bypass a reducer."""
