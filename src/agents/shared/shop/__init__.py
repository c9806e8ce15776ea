"""The shop's back office as the agents see it: orders, policies, help articles, mail, dead letters."""

SUPPORT_DESK = "desk@shop.example"
