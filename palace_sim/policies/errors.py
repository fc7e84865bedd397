"""What is raised where a policy is at fault."""


class PolicyError(ValueError):
    """A policy cannot be compiled, failed, or returned what is no legal action."""
