"""Written rules that answer for the document review without a model; `answer` is what `offline:rules` calls."""

from agents.document_review.rules.tasks import answer as answer
