"""The page at /ui/ as its reader has it: what stays in place, what is said meanwhile, and what is asked."""

import json
import unittest

from harness import wait_until
from page_harness import PageCase
from played_model import PlayedModel, refusal

HANG = PlayedModel.HANG
SHIFTS = """(() => {
    window.shifts = 0;
    window.frames = [];
    new PerformanceObserver((list) => list.getEntries().forEach((e) => e.hadRecentInput || (window.shifts += e.value)))
      .observe({ type: "layout-shift" });
    let last = performance.now();
    const frame = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
})()"""
FROM_END = "document.documentElement.scrollHeight - scrollY - innerHeight"


def blocks(number):
    """Some two hundred tokens of every kind that an answer has."""
    return (f"Paragraph {number} of `parse_date` with several words in it, so that it takes a line or two [docs:guide.md#L5].\n\n"
            f"| form | pattern | example |\n|---|---|---|\n| ISO {number} | `%Y-%m-%d` | 2026-11-28 |\n| German | `%d.%m.%Y` | 28.11.2026 |\n\n"
            f"```python src/part{number}.py\ndef part_{number}(text):\n    for pattern in PATTERNS:\n        yield pattern, text\n```\n\n"
            f"1. The first of {number} [docs:parse.py#L1-L2]\n2. The second [docs:guide.md#L9]\n\n")


def in_tokens(text, size=4):
    return [text[i:i + size] for i in range(0, len(text), size)]


class Following(PageCase):
    def test_tables_code_and_lists_at_two_hundred_tokens_a_second_are_followed_without_a_jump(self):
        text = "".join(blocks(number) for number in range(8))
        tokens = in_tokens(text)
        model = PlayedModel(lambda number: [part for token in tokens for part in (token, 0.005)])
        self.start(model=model)
        page = self.open()
        page.see(".box .budget")
        page.value(SHIFTS)
        self.ask(page, "q")
        page.wait("document.querySelectorAll('.markdown .code').length > 5")
        page.wait(f"{FROM_END} < 2")
        page.see(".turn .facts")
        page.wait(f"{FROM_END} < 2")
        self.assertEqual(page.count(".markdown table"), 8)
        self.assertEqual(page.count(".markdown .cite.good"), 24)
        self.assertLess(page.value("window.shifts"), 0.05)
        self.check_quiet()

    def test_twenty_thousand_tokens_with_citations_shift_nothing(self):
        text = "".join(blocks(number) for number in range(160))
        tokens = in_tokens(text, 40)
        model = PlayedModel(lambda number: [part for token in tokens[:300] for part in (token, 0.01)] + tokens[300:])
        self.start(model=model)
        page = self.open()
        page.see(".box .budget")
        page.value(SHIFTS)
        self.ask(page, "q")
        page.see(".turn .facts")
        self.assertEqual(page.count(".markdown table"), 160)
        self.assertLess(page.value("window.shifts"), 0.05)
        frames = sorted(page.value("window.frames"))
        print("frames, ms: p50 %.1f, p95 %.1f, p99 %.1f, longest %.1f; shifts %.4f" % (
            frames[len(frames) // 2], frames[len(frames) * 95 // 100], frames[len(frames) * 99 // 100], frames[-1],
            page.value("window.shifts")))
        self.check_quiet()

    def test_the_column_stays_where_a_citation_is_opened(self):
        model = PlayedModel(lambda number: ["By `parse_date` [docs:guide.md#L5].\n\n" + "More text.\n\n" * 60])
        self.start(model=model)
        for width in (1280, 1000, 1600):
            page = self.open(width=width)
            self.ask(page, "q")
            page.see(".turn .facts")
            page.value("scrollTo(0, 0)")
            at = ("JSON.stringify([scrollY, ...['.question', '.markdown', '.markdown .cite', '#question'].flatMap((one) => "
                  "{ const { x, y, width } = document.querySelector(one).getBoundingClientRect(); return [x, y, width]; })])")
            before = page.value(at)
            page.click(".markdown .cite.good")
            page.see(".source .cited")
            self.assertEqual(page.value(at), before)
            page.press("Escape")
            page.wait("!document.querySelector('.source')")
            self.assertEqual(page.value(at), before)
            self.assertTrue(page.value("document.activeElement.matches('.markdown .cite')"))
        self.check_quiet()


class Saying(PageCase):
    def test_what_is_waited_for_is_said(self):
        model = PlayedModel(lambda number: [HANG, "late"])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.see(".working:has-text('Waiting for fixture/m1')")
        page.command("offline", offline=True)
        page.see(".working.lost:has-text('The connection is broken')")
        page.command("offline", offline=False)
        model.release()
        page.see(".turn .facts")
        self.assertEqual(page.text(".markdown"), "late")

    def test_a_refusal_is_said_with_the_seconds_that_are_left(self):
        answers = {1: refusal(25), 2: refusal(1), 3: [HANG, "at last"]}
        model = PlayedModel(lambda number: answers[number])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.see(".working:has-text('fixture/m1: too many requests (HTTP 429), asked again in ')")
        left = "Number(/in (\\d+) s/.exec(document.querySelector('.working').textContent)[1])"
        page.wait(f"{left} < {page.value(left)}")
        page.press("Escape")
        page.wait("!document.querySelector('.working')")
        self.ask(page, "and again")
        wait_until(lambda: len(model.requests) == 3, "the model is asked again")
        page.see(".working:has-text('Waiting for fixture/m1')")
        model.release()
        page.see("text=at last")
        self.check_quiet()

    def test_a_cut_and_a_failure_are_said_and_asked_again(self):
        answers = {1: [{"call": 0, "name": "list", "arguments": "{}"}, {"end": "tools"}],
                   2: ["half", {"error": "the model is overloaded"}], 3: ["whole"]}
        model = PlayedModel(lambda number: answers[min(number, 3)])
        self.start(model=model, settings="model.max_steps = 1\n")
        page = self.open()
        self.ask(page, "first?")
        page.see(".turn .facts:has-text('limit of steps')")
        page.see(".trace summary:has-text('1 step')")
        self.ask(page, "second?")
        page.see(".turn .failure:has-text('overloaded')")
        page.wait("document.querySelectorAll('.turn').length === 2 && !document.querySelector('[aria-busy=true].turn')")
        page.click(".turn:last-of-type .acts >> text=Edit")
        self.assertEqual(page.value("document.querySelector('#question').value"), "second?")
        page.fill("#question", "")
        page.press("ArrowUp")
        self.assertEqual(page.value("document.querySelector('#question').value"), "second?")
        page.fill("#question", "")
        page.click(".turn:last-of-type .acts >> text=Retry")
        page.see(".turn:last-of-type .markdown:has-text('whole')")

    def test_steps_are_a_line_and_a_remark_before_one_is_no_part_of_the_answer(self):
        steps = {1: ["I look at the files first.", {"call": 0, "name": "list", "arguments": '{"path": "docs"}'},
                     {"call": 1, "name": "read", "arguments": '{"path": "docs/none.md"}'}, {"tokens": [1, 1]}, {"end": "tools"}]}
        model = PlayedModel(lambda number: steps.get(number, [HANG, "By it [docs:guide.md#L5]."]))
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.see(".trace[open] li:has-text('listed docs')")
        page.see(".trace[open] li.error:has-text('read docs/none.md')")
        model.release()
        page.see(".turn .facts")
        page.see(".trace:not([open])")
        self.assertTrue(page.text(".trace > summary").startswith("2 steps, "))
        self.assertNotIn("{", page.text(".trace > summary"))
        self.assertNotIn("first", page.text(".markdown"))
        page.click(".trace > summary")
        page.see(".trace .reasoning:has-text('I look at the files first.')")
        self.check_quiet()

    def test_escape_stops_wherever_the_focus_is(self):
        model = PlayedModel(lambda number: ["half", HANG])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.see(".markdown:has-text('half')")
        page.value("document.activeElement.blur()")
        page.press("Escape")
        page.see(".turn .facts:has-text('stopped')")
        self.check_quiet()


class Scope(PageCase):
    def resources_of(self, page, question):
        self.ask(page, question)
        page.see(f".turn:has-text('{question}') .facts")
        identity = page.call("url").rsplit("/", 1)[1]
        text = self.server.request("GET", f"/question/{identity}/events")[2]
        return json.loads(text.split("data: ", 1)[1].split("\n", 1)[0])["resources"]

    def test_what_the_box_shows_is_what_is_asked(self):
        model = PlayedModel(lambda number: ["ok"])
        self.home.write("more/a.txt", "a\n")
        self.start(f'[[resource]]\ntype = "local"\nname = "more"\npath = "{self.home.project}/more"\n', model=model)
        page = self.open()
        self.assertEqual(self.resources_of(page, "one of @more?"), ["more"])
        shown = "[...document.querySelectorAll('.chip')].map((one) => one.firstChild.textContent)"
        self.assertEqual(page.value(shown), ["more"])
        self.assertEqual(self.resources_of(page, "two?"), ["more"])
        page.call("reload")
        page.wait(f"String({shown}) === 'more'")
        page.click(".chip button")
        self.assertEqual(page.value(shown), ["All 2 resources"])
        self.assertEqual(sorted(self.resources_of(page, "three?")), ["docs", "more"])
        page.go(self.server.url + "/ui/#/resources")
        page.click("[aria-label='Ask more']")
        page.wait(f"document.querySelector('.first') && String({shown}) === 'more'")
        self.check_quiet()

    def test_sixty_resources_are_filtered_and_files_and_symbols_completed(self):
        more = "".join(f'[[resource]]\ntype = "local"\nname = "lib{number}"\npath = "{self.home.project}/docs"\n' for number in range(59))
        self.start(more)
        page = self.open()
        page.see(".chip:has-text('All 60 resources')")
        self.assertLess(page.value("document.querySelector('.box').getBoundingClientRect().bottom"), 600)
        page.click(".row >> text=Sources")
        page.type("lib42")
        page.press("Enter")
        page.press("Escape")
        page.see(".chip:has-text('lib42')")
        page.click("#question")
        page.type("@pars")
        page.see("[role=option]:has-text('lib42/parse.py')")
        page.see("[role=option]:has-text('parse_date')")
        page.click("[role=option]:has-text('function')")
        self.assertEqual(page.value("document.querySelector('#question').value"), "`parse_date` ")
        self.check_quiet()

    def test_three_questions_are_made_of_headings(self):
        self.start()
        page = self.open()
        page.click(".asks button:has-text('dates')")
        page.see(".turn .facts")
        self.assertIn("dates", page.text("h2.question"))
        self.check_quiet()


class Citing(PageCase):
    def test_red_is_a_false_quotation_with_what_stands_there_and_amber_is_unverified(self):
        model = PlayedModel(lambda number: ['It says "dates are guessed by parse_date" [docs:guide.md#L5].\n\nAnd so on [docs:gone.md#L3].\n\n'
                                            "Also here [docs:guide.md#L9].\n"])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.see(".turn .facts")
        self.assertEqual([page.count(f".markdown .cite.{kind}") for kind in ("bad", "warn", "good")], [1, 1, 1])
        page.click(".markdown .cite.bad")
        page.see(".said .quote:has-text('guessed')")
        page.click("[aria-label='Citation after']")
        page.see(".said:has-text('No such lines')")
        page.press("Escape")
        page.call("hover", ".markdown .cite.good")
        page.see(".hover:has-text('Times are texts')")
        self.check_quiet()

    def test_a_citation_leads_to_the_file_and_back(self):
        model = PlayedModel(lambda number: ["By it [docs:parse.py#L1-L2]."])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.click(".markdown .cite.good")
        page.click("text=Open file")
        page.see(".browse .cited")
        page.see(".outline a:has-text('parse_date')")
        page.click("text=Back")
        page.see(".source .cited")
        page.see(".markdown .cite.good")
        self.check_quiet()

    def test_an_extractive_answer_is_cards_with_the_sentence_that_answers_marked(self):
        self.start()
        page = self.open()
        self.ask(page, "How are dates parsed?")
        page.see(".turn .facts")
        self.assertIn("guide.md", page.text(".quoted header"))
        self.assertEqual(page.text(".quoted mark"), "Dates are parsed by parse_date, in any order.")
        self.check_quiet()

    def test_an_answer_of_before_keeps_its_citations(self):
        model = PlayedModel(lambda number: ["By it [docs:guide.md#L5]."])
        self.start("[server]\nkeep_finished_seconds = 0\n", model=model)
        self.server.json("POST", "/question", {"question": "q?", "thread": "before"})
        page = self.open("/ui/#/c/before")
        page.see(".markdown .cite")
        page.click(".markdown .cite")
        page.see(".source .cited:has-text('parse_date')")
        self.check_quiet("404")


class Frame(PageCase):
    def test_the_card_of_a_citation_holds_its_text(self):
        model = PlayedModel(lambda number: ['It says "are parsed by `format_date`, in any order" [docs:guide.md#L5].'])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.see(".turn .facts")
        page.call("hover", ".markdown .cite.bad")
        page.see(".hover:has-text('The answer quotes what does not stand in these lines.')")
        self.assertTrue(page.value("(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.hover'))"))
        self.check_quiet()

    def test_a_pasted_reference_fills_the_form(self):
        self.start()
        page = self.open("/ui/#/resources")
        page.fill("#reference", f"{self.home.project}/docs")
        page.press("Enter")
        page.see("#field-path")
        self.assertEqual(page.value("document.querySelector('#field-path').value"), f"{self.home.project}/docs")
        self.assertNotEqual(page.value("document.querySelector('#field-name').value"), "")
        page.click("form.schema button[type=submit]")
        page.wait("document.querySelectorAll('.cards .card').length === 2")
        self.check_quiet()

    def test_a_resource_says_what_is_kept_of_it_before_it_is_opened(self):
        self.start()
        self.server.ask("q")
        page = self.open("/ui/#/resources")
        page.see(".card .facts:has-text('2 files, ')")
        page.see(".card .facts:has-text('read just now')")
        self.check_quiet()

    def test_the_months_budget_is_said(self):
        model = PlayedModel(lambda number: ["ok"])
        self.start('[pricing.static."fixture/m1"]\ninput = "1000"\noutput = "1000"\n', model=model,
                   settings='model.monthly_budget_usd = "20"\n')
        self.server.ask("q")
        page = self.open("/ui/#/costs")
        page.see(".month:has-text('$1.01 of $20 this month')")
        page.see(".month:has-text('$18.99 left')")
        page.see(".foot:has-text('$1.01 of $20')")
        self.check_quiet()

    def test_unknown_prices_are_said(self):
        model = PlayedModel(lambda number: ["ok"])
        self.start(model=model)
        self.server.ask("q")
        page = self.open("/ui/#/costs")
        page.see(".totals:has-text('unknown')")
        page.see("text=1 call without a known price")
        self.assertNotIn("$0", page.text("main"))
        self.check_quiet()

    def test_the_theme_is_switched_and_kept(self):
        self.start()
        page = self.open()
        ground = "getComputedStyle(document.body).backgroundColor"
        light = page.value(ground)
        page.click(".theme button")
        page.click(".theme button")
        self.assertNotEqual(page.value(ground), light)
        dark = page.value(ground)
        page.call("reload")
        page.wait(f"{ground} === '{dark}'")
        self.assertEqual(page.value("document.title"), "Quarry")
        self.check_quiet()

    def test_other_views_do_not_stop_an_answer(self):
        model = PlayedModel(lambda number: ["first half, ", HANG, "second"])
        self.start(model=model)
        page = self.open()
        self.ask(page, "What is it?")
        page.see(".markdown:has-text('first')")
        page.click(".foot >> text=Costs")
        page.see(".totals")
        model.release()
        page.wait("document.querySelector('.markdown')?.textContent === 'first half, second'")
        page.click(".rail li a >> text=What is it?")
        page.see(".turn .facts")
        self.assertEqual([url for url in page.noted()["requests"] if "/events" in url], [])  # its stream was kept
        self.check_quiet()


if __name__ == "__main__":
    unittest.main()
