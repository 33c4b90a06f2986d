"""An agent: the official SDK's client in a process of its own, which calls tools and
prints what they answer.

    python agent.py COMMAND… < calls

Each line of standard input is `[tool, arguments]`, the last answers with `$next` as the
cursor of the one before. Each line of standard output is `[failed, text]`; the first is
the list of tools.
"""

import json
import os
import sys
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client


async def main(words: list[str]) -> None:
    server = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))
    async with stdio_client(server) as (received, sent), ClientSession(received, sent) as session:
        await session.initialize()
        tools = await session.list_tools()
        tell([one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in tools.tools])
        onward = None
        for line in sys.stdin:
            tool, arguments = json.loads(line)
            if arguments.get("cursor") == "$next":
                arguments["cursor"] = onward
            answer = await session.call_tool(tool, arguments)
            text = "".join(getattr(part, "text", "") for part in answer.content)
            onward = json.loads(text).get("next") if text.startswith("{") else None
            tell([bool(answer.is_error), text])


def tell(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


anyio.run(main, sys.argv[1:])
