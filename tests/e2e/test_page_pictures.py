"""The pictures of docs/page.md: QUARRY_PAGE_SCREENSHOTS=<folder> python3 -m unittest test_page_pictures"""

import unittest

from page_harness import SCREENSHOTS, PageCase
from played_model import PlayedModel

GUIDE = ("# Calendar\n\n## Parsing dates\n\nDates are parsed by `parse_date`, which tries two patterns in turn. Other forms are refused.\n\n"
         "## Time zones\n\nZones other than UTC are read since version 1.3.\n\n## How to format a date\n\nUse `format_date`.\n\n"
         "## Settings of the calendar service\n\nThe service reads two: `zone` and `week_start`.\n")
CODE = '''"""Dates as people write them."""
from datetime import datetime


def parse_date(text, zone="UTC"):
    """Parse ISO 8601 and DD.MM.YYYY."""
    for pattern in ("%Y-%m-%d", "%d.%m.%Y"):
        try:
            return datetime.strptime(text, pattern)
        except ValueError:
            continue
    raise ValueError(f"no date: {text}")


def format_date(value):
    return value.strftime("%Y-%m-%d")
'''
ANSWER = """Dates are parsed by `parse_date` in `src/dates.py`, which tries two patterns in turn and raises `ValueError` when \
neither fits [calendar:src/dates.py#L5-L12]. The guide says the same [calendar:guide.md#L5].

### The patterns

ISO 8601 comes first, then the German form; a text that fits neither is an error, not a guess \
[calendar:src/dates.py#L7]. The guide says that zones "are read since version 1.2" [calendar:guide.md#L9].

The loop:

```python src/dates.py
for pattern in ("%Y-%m-%d", "%d.%m.%Y"):
    try:
        return datetime.strptime(text, pattern)
    except ValueError:
        continue
```

| form | pattern | example |
|---|---|---|
| ISO 8601 | `%Y-%m-%d` | 2026-11-28 |
| German | `%d.%m.%Y` | 28.11.2026 |
"""
BEFORE = ("Where is the retry limit set?", "What does zod 4 change for error maps?", "Why does the scheduler skip a job?",
          "Undo the last commit, keep changes", "What happens on a write to a closed channel?")


def script(number):
    if number == 1 + len(BEFORE):
        return [{"call": 0, "name": "search", "arguments": '{"query": "parse dates"}'},
                {"call": 1, "name": "read", "arguments": '{"path": "calendar/src/dates.py"}'},
                {"tokens": [1400, 40]}, {"end": "tools"}]
    return [ANSWER]


@unittest.skipUnless(SCREENSHOTS, "QUARRY_PAGE_SCREENSHOTS names no folder")
class Pictures(PageCase):
    def test_pictures(self):
        for name in ("calendar", "handbook", "zod"):
            self.home.write(f"{name}/guide.md", GUIDE)
            self.home.write(f"{name}/src/dates.py", CODE)
        more = "".join(f'[[resource]]\ntype = "local"\nname = "{name}"\npath = "{self.home.project}/{name}"\n'
                       for name in ("calendar", "handbook", "zod"))
        self.start(more + '[pricing.static."fixture/m1"]\ninput = "2.5"\noutput = "10"\n', model=PlayedModel(script),
                   settings='model.max_cost_usd = "0.20"\nmodel.monthly_budget_usd = "5"\n')
        self.server.json("DELETE", "/config/resources/docs")
        for number, question in enumerate(BEFORE):
            self.server.json("POST", "/question", {"question": question, "thread": f"t{number}", "resources": ["zod"]})
        page = self.open("/ui/#/ask/calendar", height=800)
        page.wait("document.querySelectorAll('.asks button').length === 3")
        self.screenshot(page, "page-start.png")
        self.ask(page, "How are dates parsed?")
        page.see(".turn .facts")
        page.wait("document.querySelectorAll('.turn .asks button').length > 0")
        page.value("scrollTo(0, 0)")
        self.screenshot(page, "page-light.png")
        address = "/ui/" + page.call("url").split("/ui/")[1]
        page.call("hover", ".markdown .cite.bad")
        page.see(".hover")
        page.click(".markdown .cite.good")
        page.see(".source .cited")
        page.call("hover", "h2.question")
        self.screenshot(page, "page-citation.png")
        for name, there in (("costs", ".plot svg"), ("resources", ".card"), ("state", ".well")):
            page.go(f"{self.server.url}/ui/#/{name}")
            page.see(there)
            page.call("hover", "h1 >> visible=true")
            self.screenshot(page, f"page-{name}.png")
        dark = self.open(address, scheme="dark", height=800)
        dark.see(".turn .facts")
        dark.value("scrollTo(0, 0)")
        dark.click(".markdown .cite.bad")
        dark.see(".said")
        dark.call("hover", "h2.question")
        self.screenshot(dark, "page-dark.png")
        phone = self.open(address, width=360, height=740)
        phone.see(".turn .facts")
        phone.value("scrollTo(0, 0)")
        self.screenshot(phone, "page-phone.png")
        phone.click(".markdown .cite.good")
        phone.see(".source .cited")
        self.screenshot(phone, "page-phone-citation.png")
        self.check_quiet()


if __name__ == "__main__":
    unittest.main()
