// Markdown as tokens, in time that grows with the text and not with what is nested or repeated in it.

import { Lexer, Token, Tokenizer } from "marked";

/** Levels of quotes and lists, and of emphasis and links, that are parsed; what is deeper is one token "plain". */
export const MOST_LEVELS = 16;
/** Characters of a list, of a quote and of inline text that are parsed at once: the parser's time for them may grow
 *  with the square of their length. What is longer is parsed in pieces. */
const MOST_LINES = 20_000;
const MOST_INLINE = 5_000;

/** `text` up to the last line that ends within `most` characters. */
function wholeLines(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf("\n", most);
  return end > 0 ? text.slice(0, end + 1) : text;
}

/** The length of the next piece of an inline text: to a space, if there is one in its second half. */
function pieceLength(text: string): number {
  if (text.length <= MOST_INLINE) return text.length;
  const space = Math.max(text.lastIndexOf(" ", MOST_INLINE), text.lastIndexOf("\n", MOST_INLINE));
  return space > MOST_INLINE / 2 ? space : MOST_INLINE;
}

class BoundedTokenizer extends Tokenizer {
  list(text: string) {
    return super.list(wholeLines(text, MOST_LINES));
  }
  blockquote(text: string) {
    return super.blockquote(wholeLines(text, MOST_LINES));
  }
}

class BoundedLexer extends Lexer {
  private level = 0;

  constructor() {
    super({ gfm: true, tokenizer: new BoundedTokenizer() });
  }
  blockTokens(text: string, tokens: Token[] = [], clipped?: boolean): any {
    if (this.level === MOST_LEVELS) {
      tokens.push({ type: "plain", raw: text, text });
      return tokens;
    }
    ++this.level;
    super.blockTokens(text, tokens, clipped);
    --this.level;
    return tokens;
  }
  inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (this.level === MOST_LEVELS) {
      tokens.push({ type: "plain", raw: text, text });
      return tokens;
    }
    ++this.level;
    for (let rest = text; rest;) {
      const piece = rest.slice(0, pieceLength(rest));
      super.inlineTokens(piece, tokens);
      rest = rest.slice(piece.length);
    }
    --this.level;
    return tokens;
  }
}

/** The blocks of `text`; their `raw` together are the text. One token "plain" where the parser fails. */
export function tokensOf(text: string): Token[] {
  try {
    return new BoundedLexer().lex(text);
  } catch {
    return [{ type: "plain", raw: text, text }];
  }
}
