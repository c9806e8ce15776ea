"""What is read off code without running it: style for the reviewer, holes for the security auditor."""
