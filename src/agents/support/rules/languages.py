"""Tells text that the rules can't read: nothing in it, or not English."""

import re
import unicodedata

from agents.support.rules.spelling import known
from agents.support.rules.text import Text

# Words that are common in another language and not words of English (nor of its slang).
_FOREIGN = """
el los las una unos por para con pero quiero necesito mi mis pedido reembolso dinero donde está esta gracias
hola como que cómo puedo ayuda tengo le les des une pour avec mais je nous vous mon ma mes votre commande
remboursement bonjour merci où est veux voudrais suis pas c'est der das und ist ich nicht mein meine bitte
wo wie kann mit auf für eine einen bestellung geld zurück danke hallo wann il gli della vorrei mio ordine
rimborso dove grazie ciao sono che um uma não meu minha quero onde obrigado olá você het een niet mijn waar
graag bedankt ik wil terug bestelling zwrot gdzie jest moje zamówienie var är min jag och siparişim nerede
iade istiyorum
"""
_WORD = re.compile(r"[^\W\d_]+")
_READ = 200  # words


def unreadable(text: Text) -> bool:
    """True when there are no words, or most are in another script, or more are foreign than known."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text.raw[: _READ * 20]).casefold())[:_READ]
    letters = "".join(words)
    if not letters:
        return not any(char.isalnum() for char in text.raw)
    latin = sum(unicodedata.name(char, "").startswith("LATIN") for char in letters)
    if latin * 2 < len(letters):
        return True
    elsewhere = frozenset(_FOREIGN.split())
    foreign = sum(word in elsewhere for word in words)
    english = sum(word in known() and word not in elsewhere for word in words)
    return foreign > 1 and foreign >= english
