"""The official Python SDK as a client: python check_sdk.py PROGRAM DOCS URL TOKEN"""

import asyncio
import json
import sys

import httpx2 as httpx
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

PROGRAM, DOCS, URL, TOKEN = sys.argv[1:]
TOOL = "SearchPlugin-GetSearchResults"


async def check(streams, name):
    read, write = streams[:2]
    async with ClientSession(read, write) as session:
        greeting = await session.initialize()
        assert greeting.server_info.name == "textsearch", greeting
        tools = (await session.list_tools()).tools
        assert [tool.name for tool in tools] == [TOOL, "search", "fetch"], tools
        assert tools[0].annotations.read_only_hint is True, tools[0]
        assert tools[0].annotations.open_world_hint is False, tools[0]

        # The SDK checks the structured content against the tool's output schema.
        found = await session.call_tool(TOOL, {"query": "apples"})
        assert found.structured_content["result"][0]["Name"] == "Fruit", found
        assert "Apples and pears" in found.content[0].text, found
        wrong = await session.call_tool(TOOL, {"query": "apples", "count": 99})
        assert wrong.is_error and "count" in wrong.content[0].text, wrong

        # What ChatGPT's apps and deep research call.
        found = await session.call_tool("search", {"query": "apples"})
        (entry,) = found.structured_content["results"]
        assert (entry["title"], json.loads(found.content[0].text)) == ("Fruit", found.structured_content), found
        fetched = await session.call_tool("fetch", {"id": entry["id"]})
        document = fetched.structured_content
        assert "Apples and pears" in document["text"] and document["url"] == entry["url"], fetched
        assert set(document) == {"id", "title", "text", "url", "metadata"}, fetched
        missing = await session.call_tool("fetch", {"id": "nothing"})
        assert missing.is_error and len(missing.content) == 1, missing

        resources = (await session.list_resources()).resources
        read_back = await session.read_resource(resources[0].uri)
        assert "Apples and pears" in read_back.contents[0].text, read_back
        prompts = (await session.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["grounded"], prompts
        prompt = await session.get_prompt("grounded", {"query": "carrots"})
        assert "Carrots are vegetables" in prompt.messages[0].content.text, prompt
    print(f"     the SDK over {name}: tools, results, search and fetch, resources, prompts")


async def main():
    parameters = StdioServerParameters(command=PROGRAM, args=["mcp", "--from", DOCS])
    async with stdio_client(parameters) as streams:
        await check(streams, "stdio")
    client = httpx.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"})
    async with streamable_http_client(URL, http_client=client) as streams:
        await check(streams, "HTTP")
    refused = httpx.post(URL, json={}, headers={"Authorization": "Bearer wrong"})
    assert refused.status_code == 401, refused


asyncio.run(main())
