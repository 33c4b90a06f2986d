"""`unified mcp`: a server that offers the operations to coding agents as tools."""
