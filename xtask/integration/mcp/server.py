"""A FastMCP server for our client: python server.py [PORT]; without a port, over stdio."""

import asyncio
import sys
from typing import Annotated

from fastmcp import Context, FastMCP
from mcp.types import ToolListChangedNotification
from pydantic import BaseModel, Field

server = FastMCP("kitchen", instructions="Ask about meals.")


class Meal(BaseModel):
    name: str
    minutes: int


class Order(BaseModel):
    meal: Meal
    guests: int = 1


@server.tool
def add(left: int, right: Annotated[int, Field(description="The second number.")] = 1) -> int:
    """Adds two numbers."""
    return left + right


@server.tool
def order(order: Order) -> Meal:
    """Orders a meal."""
    return Meal(name=f"{order.guests} × {order.meal.name}", minutes=order.meal.minutes)


@server.tool
def fail(reason: str) -> str:
    """Fails with a reason."""
    raise ValueError(f"no meal: {reason}")


@server.tool
async def slow(context: Context) -> str:
    """Waits for a long time."""
    await asyncio.sleep(600)
    return "late"


@server.tool
async def grow(context: Context) -> str:
    """Adds a tool."""

    @server.tool
    def grown() -> str:
        """Is new."""
        return "new"

    await context.send_notification(ToolListChangedNotification())
    return "grew"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
    else:
        server.run(show_banner=False)
