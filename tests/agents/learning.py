"""What the offline responder learns, through the real extractor agent."""

from datetime import datetime
from zoneinfo import ZoneInfo

from memoryapp.agents import extractor, llm
from memoryapp.agents.extractor import Heard, Known

OFFLINE = llm.Choice("offline", is_offline=True, is_local=True)
VIENNA = ZoneInfo("Europe/Vienna")
WEDNESDAY = datetime(2026, 8, 19, 14, 5, tzinfo=VIENNA)


async def learn(*bodies, known=(), said_at=WEDNESDAY):
    heard = [Heard(number, "user", body, said_at) for number, body in enumerate(bodies, start=1)]
    return (await extractor.extract(heard, known, choice=OFFLINE)).output


async def learned(*bodies, known=()):
    return [(each.key, each.value) for each in await learn(*bodies, known=known)]


def known(key, value, kind="identity", table="fact", subject="", number=1):
    return Known(number, f"id-{number}", table, kind, key, value, subject)
