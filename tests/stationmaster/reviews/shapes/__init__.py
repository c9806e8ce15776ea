"""The shapes of questions: tables of payloads and answers, odd JSON, and the real graphs."""
