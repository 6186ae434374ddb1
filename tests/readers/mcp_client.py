"""The official client of the Model Context Protocol asks a server: calls in, answers out, as JSON.

    mcp_client.py PROGRAM ARGUMENTS...  < calls.json

calls.json is a list of [tool, arguments]; the answer is {"tools": [...], "answers": [...]}, each answer with its
text, data, whether it is an error, and the progress that was told.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def of(thing, *names):
    return next((getattr(thing, name) for name in names if getattr(thing, name, None) is not None), None)


async def main():
    calls = json.load(sys.stdin)
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=None)
    async with stdio_client(server) as (reading, writing):
        async with ClientSession(reading, writing) as session:
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]
            answers = []
            for name, arguments in calls:
                progress = []

                async def told(done, total, message):
                    progress.append([done, total, message])

                result = await session.call_tool(name, arguments, progress_callback=told)
                answers.append({
                    "text": "\n".join(c.text for c in result.content if hasattr(c, "text")),
                    "data": of(result, "structuredContent", "structured_content"),
                    "is_error": bool(of(result, "isError", "is_error")),
                    "progress": progress,
                })
    json.dump({"tools": tools, "answers": answers}, sys.stdout)


asyncio.run(main())
