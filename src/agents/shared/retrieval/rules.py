"""Written rules that make queries of a question without a model: the question itself, and its telling words."""

from agents.shared.offline import Reply, Request
from agents.shared.words import telling

MOST_WORDS = 8


def answer(request: Request) -> Reply:
    """The call of the tool `Queries`. Raises ValueError for a task that the rules do not know."""
    if not request.forced or not request.system.startswith("Task: decompose"):
        raise ValueError("the retrieval's rules know the task decompose alone, with the tool Queries")
    return Reply(tool_calls=((request.forced, {"queries": queries(request.last_human)}),))


def queries(question: str) -> list[str]:
    """The question, and where it is a long sentence its telling words besides."""
    words = list(dict.fromkeys(telling(question)))
    keywords = " ".join(words[:MOST_WORDS])
    long = len(question.split()) > MOST_WORDS and len(words) > 1
    return [question, keywords] if long else [question]
