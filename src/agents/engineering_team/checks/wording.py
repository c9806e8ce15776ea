"""What names say: whether they hold something that nobody may guess, read off their words. Pure."""

import re
from typing import TypeAlias

Weight: TypeAlias = int
"""0: nothing to hide; 1: a plain digest, which may guard something; 2: a secret, or what proves that one was known."""


def listed(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SECRETS = listed(
    "signature signatures sig hmac mac token secret secrets password passwords passwd pwd passphrase passcode otp totp "
    "csrf xsrf apikey jwt authorization"
)
_PAIRS = frozenset(
    (word, last)
    for last, words in {
        "key": "api access secret private signing webhook",
        "code": "auth verification reset access security confirmation backup",
    }.items()
    for word in words.split()
)
_DIGESTS = frozenset({"digest", "hexdigest"})
_SAYS_NOTHING = listed(
    "hex bytes b64 base64 value str string text header received expected given computed calculated actual provided "
    "sent raw a b left right hash hashed encoded decoded param from request input query v sha256 sha1 sha512 sha md5 "
    "new old stored user client server ours theirs"
)
"""Words behind the one that counts: `signature_hex` and `token_from_request` are still what they are."""
_ANSWERS = listed(
    "is has compare check verify validate valid equal equals same matches match count need needs no should can must "
    "len safe constant"
)
"""What begins so is a yes or a no, or a number."""


def parts(identifier: str) -> list[str]:
    """The words of a name in any style, in lower case."""
    return [word.lower() for word in _WORD.findall(identifier)]


def weight_of(identifier: str) -> Weight:
    """What a variable, an attribute, a key or a function of this name holds, or returns."""
    found = parts(identifier)
    if not found or found[0] in _ANSWERS:
        return 0
    for place in reversed(range(len(found))):
        word = found[place]
        if word in _SECRETS or (place and (found[place - 1], word) in _PAIRS):
            return 2
        if word in _DIGESTS:
            return 2 if weight_of("_".join(found[:place])) == 2 else 1
        if word not in _SAYS_NOTHING and not word.isdigit():
            return 0
    return 0


_GUARDED = frozenset(
    {"password", "passwd", "pwd", "passphrase", "secret", "token", "apikey", "credential", "credentials"}
)


def is_secret_name(identifier: str) -> bool:
    """Whether a value that is written under this name in code would be a secret in code."""
    found = parts(identifier)
    return bool(found) and (found[-1] in _GUARDED or (found[-1] == "key" and tuple(found[-2:]) in _PAIRS))
