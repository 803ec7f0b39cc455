"""The official Python SDK as a client of a server with tenants: python check_tenants.py URL ACME GLOBEX"""

import asyncio
import sys

import httpx2 as httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

URL, ACME, GLOBEX = sys.argv[1:]


async def call(token, tool, arguments):
    client = httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"})
    async with streamable_http_client(URL, http_client=client) as streams:
        async with ClientSession(*streams[:2]) as session:
            await session.initialize()
            return await session.call_tool(tool, arguments)


async def main():
    found = await call(ACME, "search", {"query": "launches"})
    (entry,) = found.structured_content["results"]
    own = await call(ACME, "fetch", {"id": entry["id"]})
    assert "Acme launches in May." in own.structured_content["text"], own
    hidden = await call(GLOBEX, "fetch", {"id": entry["id"]})
    unknown = await call(GLOBEX, "fetch", {"id": "unknown"})
    assert hidden.is_error and hidden.content == unknown.content, (hidden, unknown)
    print("     the SDK with tenants: fetch of another tenant's id is not found")


asyncio.run(main())
