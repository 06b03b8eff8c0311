#include "markdown.h"

#include "html.h"

#include <gtest/gtest.h>

namespace {

using webdocs::decode_entities;

std::string markdown(std::string_view html) {
  return webdocs::to_markdown(html, *webdocs::parse_url("https://a.example/docs/")).text;
}

TEST(Markdown, HasHeadingsAndParagraphs) {
  EXPECT_EQ(markdown("<h1>One</h1><p>Two\n  three</p><h3 class=x>Four</h3>five<br/>six"),
            "# One\n\nTwo three\n\n### Four\n\nfive\nsix\n");
}

TEST(Markdown, HasLists) {
  EXPECT_EQ(markdown("<ul><li>One<li><p>Two</p><ol><li>Three</li></ol></ul>Four"),
            "- One\n- Two\n\n  1. Three\n\nFour\n");
}

TEST(Markdown, HasCodeAsItIs) {
  EXPECT_EQ(markdown("<p>Use <code>a &lt; b</code>:</p><pre><code class=\"language-sh\">\n"
                     "if <b>x</b>;\n  then &amp;\n\n</code></pre>after"),
            "Use `a < b`:\n\n```sh\nif x;\n  then &\n```\n\nafter\n");
  EXPECT_EQ(markdown("<pre>a\n```\nb</pre>"), "````\na\n```\nb\n````\n");
  EXPECT_EQ(markdown("<pre><code class='language-x\ny'>z</code></pre>"), "```\nz\n```\n");
}

TEST(Markdown, HasLinksThatLeadSomewhere) {
  EXPECT_EQ(
      markdown("See <a href='intro.html'>the intro</a>, <a href=\"https://b.example/?a&amp;b\">"
               "b</a> or <a href=#top>above</a>."),
      "See [the intro](https://a.example/docs/intro.html), [b](https://b.example/?a&b) or "
      "above.\n");
  EXPECT_EQ(markdown("a<a href=x></a>b <a href=x><h2>Title</h2></a>"),
            "ab\n\n## [Title](https://a.example/docs/x)\n");
  EXPECT_EQ(markdown("<a href='javascript:alert(1)'>x</a> <a href=y>one <a href=z>two"),
            "x [one](https://a.example/docs/y) [two](https://a.example/docs/z)\n");
}

TEST(Markdown, HasTheRowsOfTables) {
  EXPECT_EQ(markdown("<table><tr><th>Key<th>Value</tr><tr><td>a</td><td>1</td></tr></table>"),
            "Key | Value\na | 1\n");
}

TEST(Markdown, HasNoScriptsStylesAndNavigation) {
  EXPECT_EQ(markdown("<style>p{}</style><nav><ul><li>Home<nav>x</nav></ul></nav><p>Text</p>"
                     "<SCRIPT>if (a<b) '</p>'</SCRIPT><!-- <p>no</p> --><svg/>end<footer>f"),
            "Text\n\nend\n");
}

TEST(Markdown, IsThatOfTheMainPart) {
  const auto page = webdocs::to_markdown(
      "<!doctype html><head><title>\n A &amp; B</title></head><body>Menu<main id=m><p>Text</main>"
      "Imprint",
      *webdocs::parse_url("https://a.example/"));
  EXPECT_EQ(page.title, "A & B");
  EXPECT_EQ(page.text, "Text\n");
}

TEST(Markdown, OfBrokenHtmlIsSomeText) {
  EXPECT_EQ(markdown("a < b <1 <"), "a < b <1 <\n");
  EXPECT_EQ(markdown("a<p title=\"never ended>b"), "a\n");
  EXPECT_EQ(markdown("a</li></ul></a></code></nav></pre>b<pre>c"), "a\n\nb\n\n```\nc\n```\n");
  EXPECT_EQ(markdown("a<script>b"), "a\n");
  EXPECT_EQ(markdown("a<!--b"), "a\n");
  EXPECT_EQ(markdown(""), "");
}

TEST(Markdown, OfMuchMarkupIsMadeInLinearTime) {
  std::string deep, links;
  for (int i = 0; i < 20'000; ++i) deep += "<ul><li>x<nav", links += "<a href=x>y";
  EXPECT_LT(markdown(deep).size(), deep.size());
  EXPECT_LT(markdown(links).size(), std::size_t{2} << 20);
  std::string open;
  for (int i = 0; i < 100'000; ++i) open += "<a '<!";
  EXPECT_LT(markdown(open).size(), open.size());
}

TEST(Entities, BecomeTheirCharacters) {
  EXPECT_EQ(decode_entities("&lt;&#65;&#x1F600;&mdash;&#xe9;"), "<A\xF0\x9F\x98\x80—é");
  EXPECT_EQ(decode_entities("&#xD800;&#0;&#99999999999;"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(decode_entities("a & b &unknown; &#; &#x; &lt"), "a & b &unknown; &#; &#x; &lt");
}

TEST(Attributes, AreFoundInAnyForm) {
  const auto value = [](std::string_view attributes) {
    return webdocs::attribute({"a", false, attributes}, "href");
  };
  EXPECT_EQ(value(" hidden data-href=no HREF=yes"), "yes");
  EXPECT_EQ(value(" title='a href=no' href='a b'/"), "a b");
  EXPECT_EQ(value(" href"), "");
  EXPECT_EQ(value(" = = '"), "");
}

}  // namespace
