"""MCP server of simplex-gateway: SimpleX Chat for agents with language models."""

__version__ = "0.1.0"
