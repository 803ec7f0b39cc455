"""FastMCP as a client: python check_fastmcp.py PROGRAM DOCS URL TOKEN"""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.auth import BearerAuth
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

PROGRAM, DOCS, URL, TOKEN = sys.argv[1:]
TOOL = "SearchPlugin-Search"


async def check(transport, tool):
    async with Client(transport) as client:
        tools = [found.name for found in await client.list_tools()]
        assert tools == [tool, "search", "fetch"], tools
        called = await client.call_tool(tool, {"query": "carrots", "count": 1})
        assert "Carrots are vegetables" in str(called.structured_content["result"][0]), called
        missing = await client.call_tool(tool, {}, raise_on_error=False)
        assert missing.is_error and "query" in missing.content[0].text, missing


async def main():
    arguments = ["mcp", "--from", DOCS, "--kind", "text"]
    await check(StdioTransport(PROGRAM, arguments), TOOL)
    over_http = StreamableHttpTransport(URL, auth=BearerAuth(TOKEN))
    await check(over_http, "SearchPlugin-GetSearchResults")
    print("     FastMCP over stdio and HTTP: tools, results, errors")


asyncio.run(main())
