"""MCP's official Python SDK logs in and searches: python check_sdk.py SERVER USER"""

import asyncio
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2 as httpx
from mcp import ClientSession
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

SERVER, USER = sys.argv[1:]
REDIRECT = "http://127.0.0.1/callback"


class Storage:
    """Keeps tokens and registration in memory."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Browser:
    """Follows the login to its end."""

    async def open(self, url):
        async with httpx.AsyncClient() as client:
            url = f"{url}&login_hint={USER}"
            while not url.startswith(REDIRECT):
                response = await client.get(url)
                url = str(response.url.join(response.headers["location"]))
        self.query = parse_qs(urlsplit(url).query)

    async def result(self):
        value = lambda name: self.query.get(name, [None])[0]
        return AuthorizationCodeResult(code=value("code"), state=value("state"), iss=value("iss"))


async def main():
    browser = Browser()
    metadata = OAuthClientMetadata(client_name="check", redirect_uris=[REDIRECT], token_endpoint_auth_method="none")
    auth = OAuthClientProvider(SERVER, metadata, Storage(), browser.open, browser.result)
    async with streamable_http_client(SERVER, http_client=httpx.AsyncClient(auth=auth)) as streams:
        async with ClientSession(*streams[:2]) as session:
            await session.initialize()
            tools = await session.list_tools()
            assert "search" in [tool.name for tool in tools.tools], tools
            found = await session.call_tool("search", {"query": "launches"})
    ids = [entry["id"] for entry in found.structured_content["results"]]
    assert all(USER in identity for identity in ids) and len(ids) == 1, found
    print("     the Python SDK logs in, lists tools and searches")


asyncio.run(main())
