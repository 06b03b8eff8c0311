// The sentence of a passage that has most of the words of a question.

const SENTENCE = /[^.!?\n]+(?:[.!?](?![\s)]|$)[^.!?\n]*)*[.!?]?/g;
const COMMON = new Set("a an and are as at be by can do does for from has have how i if in is it its of on or that the this to what when where which who why will with".split(" "));

/** Words without their ends, by which forms of a word are alike. */
function stems(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  return new Set(words.flatMap((word) => word.split("_")).filter((word) => word && !COMMON.has(word))
    .map((word) => word.replace(/(ing|ed|es|s)$/, "")));
}

/** Empty if no sentence has a word of the question. */
export function answeringSentence(passage: string, question: string): string {
  const wanted = stems(question);
  let best = "";
  let most = 0;
  for (const line of passage.split("\n")) {
    if (/^\s*(#|```|\||>)/.test(line)) continue;
    for (const [sentence] of line.matchAll(SENTENCE)) {
      const score = [...stems(sentence)].filter((word) => wanted.has(word)).length;
      if (score > most) [best, most] = [sentence.trim(), score];
    }
  }
  return best;
}
