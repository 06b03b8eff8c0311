#include "corpus/query/question_words.h"

#include "corpus/text/stemmer.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace quarry::corpus {
namespace {

// Words without meaning for a search.
constexpr std::string_view kStopWords =
    " a about above after again all also am an and any anything are as at be because been before "
    "being between both but by can cannot could did do does doing done down during each else ever "
    "every explain find for from further give given had has have having he her here him his how i "
    "if in into is it its itself just know let like look many may me might more most much must my "
    "no nor not now of off on once one only or other our out over own please same shall she should "
    "show so some something such take tell than that the their them then there these they thing "
    "this those through to too under until up upon us very via want was way we well were what when "
    "where whether which while who whom whose why will with within without would you your s t re "
    "ve "
    "ll don doesn didn isn aren can't exactly happen happens actually during ";

constexpr std::string_view kFrequentWords =
    " behaviour behavior called calls case class code compute computed computes contain contains "
    "decide decided decides define defined defines detail determine determined determines "
    "different "
    "example file files function functions get gets handle handled handles handling implement "
    "implementation implemented implements kind library located logic make makes making mechanism "
    "method methods module need needs object part perform performed performs place possible "
    "program "
    "provide provides responsible set sets source specific support supported supports turn turned "
    "type types use used user uses using value values work works turns whole going single certain "
    "decides command option keep keeps kept allow allows ";

/// Groups of words that are interchangeable in programs; abbreviations and their long forms.
constexpr std::string_view kRelatives =
    "directory folder dir;delete remove erase unlink;create make new;argument arg parameter param;"
    "configuration config setting preference;initialize init setup;database db;message msg;"
    "error exception failure err;request req;response resp reply;context ctx;async asynchronous;"
    "regex regexp regular;environment env;concurrent parallel simultaneous;thread worker;"
    "authenticate auth login credential;authorize permission access;temporary temp tmp;"
    "string str text;integer int;character char rune;pointer ptr;buffer buf;memory mem;"
    "length len size;maximum max;minimum min;previous prev;number num;index idx;"
    "command cmd;execute exec run;process proc;application app;address addr;connection conn;"
    "synchronize sync;synchronous sync;allocate alloc malloc;reference ref;statistics stats;"
    "utility util;calculate compute calc;escape quote;serialize marshal encode dump;"
    "deserialize unmarshal decode load;parse decode read;compress deflate zip;decompress inflate "
    "unzip;"
    "encrypt cipher;hash digest checksum;lock mutex;wait block;cancel abort;stop terminate halt;"
    "start begin launch;finish end complete;callback hook handler;listener observer;"
    "timeout deadline expire;retry backoff;limit quota throttle;cache memoize;"
    "package pkg;dependency require import;version semver;repository repo;branch head;"
    "print format display;log logging logger;debug trace;test check verify;validate check verify;"
    "convert transform translate;merge combine join;split divide partition;sort order;"
    "compare diff equal;copy clone duplicate;list array sequence slice;map dictionary hash table;"
    "queue fifo;stack lifo;tree node;graph network;iterate loop walk traverse;visit walk;"
    "search find lookup;replace substitute;insert add append push;pop shift;filter select;"
    "unique distinct;random rand;round truncate;date time calendar;timezone zone tz;"
    "url uri link;hostname host domain;socket port;upload send;download fetch get;"
    "redirect location;header field;cookie session;certificate cert x509 tls;"
    "tls ssl;password passphrase secret;user account;group team;owner author;"
    "symlink link symbolic;path filename;extension suffix;prefix begin;"
    "stdin input;stdout output;stream pipe;signal interrupt kill;exit quit;"
    "attribute attr property;element elem node;expression expr;statement stmt;declaration decl;"
    "variable var;constant const;generate produce emit;template render;token lexer tokenize;"
    "compile build;interpreter eval;garbage gc collector;coroutine task future;"
    "schedule cron timer;event signal notify;subscribe listen;publish emit dispatch;"
    "multiple several many;nested recursive;recursive recurse;"
    "whitespace blank space;newline line;uppercase upper case;lowercase lower case;capital upper;"
    "archive tar zip;patch diff;commit revision;stage index;conflict merge;"
    "decimal float;hexadecimal hex;binary bin;unicode utf codepoint;"
    "interface protocol;abstract base;inherit subclass derive;override virtual;"
    "hidden private;visible public;readonly immutable;optional default;"
    "fetch retrieve get;save store write persist;discard drop;update refresh modify;"
    "mock fake stub;benchmark bench performance;increment inc;decrement dec;"
    "average mean;median middle;deviation stdev variance;probability prob distribution";

using WordSet = std::set<std::string, std::less<>>;
using Relatives = std::map<std::string, std::vector<std::string_view>, std::less<>>;

std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    if (end != 0) out.push_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

WordSet word_set(std::string_view list) {
  WordSet set;
  for (const std::string_view word : pieces(list, ' ')) set.emplace(word);
  return set;
}

Relatives make_relatives() {
  static WordSet stems;  // the views of the table point here
  Relatives table;
  for (const std::string_view line : pieces(kRelatives, ';')) {
    std::vector<std::string_view> group;
    for (const std::string_view word : pieces(line, ' ')) {
      group.push_back(*stems.insert(stemmed(word)).first);
    }
    for (const std::string_view one : group) {
      for (const std::string_view other : group) {
        if (one != other) table[std::string(one)].push_back(other);
      }
    }
  }
  return table;
}

}  // namespace

bool is_stop_word(std::string_view lower) {
  static const WordSet set = word_set(kStopWords);
  return set.contains(lower);
}

bool is_frequent_word(std::string_view lower) {
  static const WordSet set = word_set(kFrequentWords);
  return set.contains(lower);
}

std::span<const std::string_view> relatives_of(std::string_view stem) {
  static const Relatives table = make_relatives();
  const auto found = table.find(stem);
  if (found == table.end()) return {};
  return found->second;
}

}  // namespace quarry::corpus
