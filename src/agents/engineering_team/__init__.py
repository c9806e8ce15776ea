"""The engineering team's graph: a supervisor over a researcher, a coder, and a lead of reviewer and auditor."""
