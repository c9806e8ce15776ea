"""The helpdesk: a tool-calling agent of LangChain's `create_agent` behind limits, a gate and an output guardrail."""
