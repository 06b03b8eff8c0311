#include "model-extractive/german.h"

#include "model-extractive/words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace quarry::extractive {
namespace {

struct Entry {
  std::string_view german;
  std::string_view english;
};

// Sorted by bytes, for binary search. Words of software, in the form of a dictionary.
constexpr auto kDictionary = std::to_array<Entry>({
    {"abbrechen", "cancel abort"},
    {"abbruch", "cancel"},
    {"abfrage", "query"},
    {"abgelaufen", "expired"},
    {"ablauf", "expire"},
    {"ablegen", "store"},
    {"ablehnen", "reject"},
    {"abschalten", "disable"},
    {"abschnitt", "section"},
    {"absturz", "crash"},
    {"adresse", "address url"},
    {"aktualisieren", "update"},
    {"alt", "old"},
    {"anfrage", "request"},
    {"anfragen", "request"},
    {"anhalten", "stop"},
    {"anlegen", "create"},
    {"anmelden", "log in"},
    {"anmeldung", "login"},
    {"ansicht", "view"},
    {"antwort", "response"},
    {"anweisung", "statement"},
    {"anwendung", "application"},
    {"anzahl", "number count"},
    {"anzeige", "display"},
    {"anzeigen", "show"},
    {"arbeiter", "worker"},
    {"aufgabe", "task"},
    {"aufruf", "call"},
    {"aufrufen", "call"},
    {"ausdruck", "expression"},
    {"ausführen", "run execute"},
    {"ausführung", "execution"},
    {"ausgabe", "output"},
    {"ausgeben", "print output"},
    {"ausnahme", "exception"},
    {"ausschalten", "disable"},
    {"ausschließen", "exclude"},
    {"auswählen", "select"},
    {"balken", "bar"},
    {"basis", "base"},
    {"bauen", "build"},
    {"baum", "tree"},
    {"bedeuten", "mean"},
    {"bedeutet", "mean"},
    {"beenden", "exit end"},
    {"befehl", "command"},
    {"beispiel", "example"},
    {"benennen", "rename"},
    {"benutzen", "use"},
    {"benutzer", "user"},
    {"berechtigung", "permission"},
    {"beschränken", "limit"},
    {"bestand", "data"},
    {"bestimmt", "specific"},
    {"betriebssystem", "operating system"},
    {"bibliothek", "library"},
    {"bild", "image"},
    {"blockieren", "block"},
    {"breite", "width"},
    {"browser", "browser"},
    {"commit", "commit"},
    {"darstellen", "render"},
    {"datei", "file"},
    {"daten", "data"},
    {"datenbank", "database"},
    {"datum", "date"},
    {"dauer", "duration"},
    {"definieren", "define"},
    {"deutsch", "german de"},
    {"dienst", "service"},
    {"drucken", "print"},
    {"eigene", "custom"},
    {"eigenschaft", "property"},
    {"einbinden", "include"},
    {"einfügen", "insert"},
    {"eingabe", "input"},
    {"eingeben", "enter"},
    {"einlesen", "read"},
    {"einrichten", "configure set up"},
    {"einschalten", "enable"},
    {"einstellen", "configure"},
    {"einstellung", "setting"},
    {"eintrag", "entry"},
    {"element", "element"},
    {"empfangen", "receive"},
    {"englisch", "english en"},
    {"entfernen", "remove"},
    {"entfernt", "remote"},
    {"entscheiden", "decide"},
    {"ereignis", "event"},
    {"erkennen", "detect"},
    {"erlauben", "allow"},
    {"ersetzen", "replace"},
    {"erstellen", "create"},
    {"erweitern", "extend"},
    {"erzeugen", "create generate"},
    {"farbe", "color"},
    {"fehler", "error"},
    {"feld", "field"},
    {"fenster", "window"},
    {"festlegen", "set define"},
    {"filtern", "filter"},
    {"finden", "find"},
    {"folgen", "follow"},
    {"folgt", "follow"},
    {"format", "format"},
    {"fortschritt", "progress"},
    {"freigeben", "release free"},
    {"funktion", "function"},
    {"geheim", "secret"},
    {"gemeinsam", "shared common"},
    {"gesichert", "saved save"},
    {"gezeichnet", "rendered drawn"},
    {"gleichzeitig", "concurrent"},
    {"grenze", "limit"},
    {"gruppe", "group"},
    {"größe", "size"},
    {"gültig", "valid"},
    {"hinzufügen", "add"},
    {"hochladen", "upload"},
    {"holen", "fetch"},
    {"höhe", "height"},
    {"inhalt", "content"},
    {"installieren", "install"},
    {"karte", "map"},
    {"klasse", "class"},
    {"knoten", "node"},
    {"kommando", "command"},
    {"konfiguration", "configuration"},
    {"konfigurieren", "configure"},
    {"kopf", "header"},
    {"kopieren", "copy"},
    {"kürzen", "truncate"},
    {"laden", "load"},
    {"laufzeit", "runtime"},
    {"leer", "empty"},
    {"leeren", "clear flush"},
    {"leiste", "bar"},
    {"lesen", "read"},
    {"liegen", "located"},
    {"liegt", "located"},
    {"lies", "read"},
    {"liste", "list"},
    {"länge", "length"},
    {"löschen", "delete remove"},
    {"mehrere", "multiple several"},
    {"meldung", "message"},
    {"merken", "remember"},
    {"messen", "measure"},
    {"modul", "module"},
    {"muster", "pattern"},
    {"nachricht", "message"},
    {"name", "name user"},
    {"netz", "network"},
    {"netzwerk", "network"},
    {"neu", "new"},
    {"neustart", "restart"},
    {"nutzer", "user"},
    {"option", "option"},
    {"ordner", "directory folder"},
    {"ort", "location"},
    {"paket", "package"},
    {"parameter", "parameter"},
    {"passwort", "password"},
    {"pfad", "path"},
    {"platte", "disk"},
    {"port", "port"},
    {"programm", "program"},
    {"protokoll", "log protocol"},
    {"protokollieren", "log"},
    {"prozess", "process"},
    {"prüfen", "check validate"},
    {"puffer", "buffer"},
    {"quelle", "source"},
    {"quelltext", "source code"},
    {"rechner", "host"},
    {"rechte", "permission"},
    {"regel", "rule"},
    {"reihenfolge", "order"},
    {"route", "route"},
    {"rückgabe", "return"},
    {"rückgängig", "undo revert"},
    {"schicken", "send"},
    {"schleife", "loop"},
    {"schließen", "close"},
    {"schlüssel", "key"},
    {"schnell", "fast"},
    {"schreiben", "write"},
    {"schutz", "protection"},
    {"schütze", "protect"},
    {"schützen", "protect"},
    {"seite", "page"},
    {"senden", "send"},
    {"server", "server"},
    {"setzen", "set"},
    {"sicherheit", "security"},
    {"sichern", "save backup"},
    {"sitzung", "session"},
    {"sortieren", "sort"},
    {"spalte", "column"},
    {"speicher", "memory storage"},
    {"speichern", "save store"},
    {"sperre", "lock"},
    {"sprache", "language"},
    {"standard", "default"},
    {"starten", "start"},
    {"stelle", "place"},
    {"stoppen", "stop"},
    {"suche", "search"},
    {"suchen", "search"},
    {"symbolisch", "symbolic"},
    {"tabelle", "table"},
    {"teilen", "share split"},
    {"test", "test"},
    {"teste", "test"},
    {"testen", "test"},
    {"text", "text"},
    {"thema", "topic"},
    {"titel", "title"},
    {"typ", "type"},
    {"umbenennen", "rename"},
    {"umgebung", "environment"},
    {"umleiten", "redirect"},
    {"umleitung", "redirect"},
    {"unterbefehl", "subcommand"},
    {"unterschied", "difference"},
    {"variable", "variable"},
    {"veralten", "deprecated"},
    {"verarbeiten", "process"},
    {"verbergen", "hide"},
    {"verbieten", "forbid"},
    {"verbinden", "connect"},
    {"verbindung", "connection"},
    {"vergleichen", "compare"},
    {"verhindern", "prevent"},
    {"verknüpfung", "link"},
    {"verlauf", "history"},
    {"verschieben", "move"},
    {"verschlüsseln", "encrypt"},
    {"verschlüsselung", "encryption"},
    {"verstecken", "hide"},
    {"verwalten", "manage"},
    {"verzeichnis", "directory"},
    {"verzweigung", "branch"},
    {"vorlage", "template"},
    {"warten", "wait"},
    {"warteschlange", "queue"},
    {"weiterleiten", "forward redirect"},
    {"weiterleitung", "redirect"},
    {"werkzeug", "tool"},
    {"wert", "value"},
    {"wiederherstellen", "restore"},
    {"wiederholen", "retry repeat"},
    {"wurzel", "root"},
    {"wählen", "choose select"},
    {"wörter", "words"},
    {"zahl", "number"},
    {"zeichen", "character"},
    {"zeichenkette", "string"},
    {"zeichnen", "draw render"},
    {"zeigen", "show"},
    {"zeiger", "pointer"},
    {"zeile", "line"},
    {"zeit", "time"},
    {"zeitlimit", "timeout"},
    {"zertifikat", "certificate"},
    {"zufällig", "random"},
    {"zugriff", "access"},
    {"zulassen", "allow"},
    {"zurücksetzen", "reset"},
    {"zusammenfassen", "combine squash"},
    {"zusammenführen", "merge"},
    {"zustand", "state"},
    {"zweig", "branch"},
    {"zwischenspeicher", "cache"},
    {"zähler", "counter"},
    {"ändern", "change"},
    {"änderung", "change"},
    {"öffnen", "open"},
    {"übergeben", "pass"},
    {"überprüfen", "verify"},
    {"überschreiben", "override overwrite"},
    {"übersetzen", "translate compile"},
    {"übersetzung", "translation"},
});

constexpr auto kGermanWords = std::to_array<std::string_view>(
    {"alle",  "auf",    "aus",  "bei",   "das",   "dem",   "den",   "der",    "des",     "die",
     "durch", "ein",    "eine", "einem", "einen", "einer", "eines", "für",    "gibt",    "ich",
     "im",    "ist",    "kann", "kein",  "keine", "man",   "mit",   "nach",   "nicht",   "oder",
     "ohne",  "sind",   "und",  "vom",   "von",   "wann",  "warum", "welche", "welcher", "welches",
     "wenn",  "werden", "wie",  "wird",  "wo",    "zu",    "zum",   "zur"});
constexpr auto kEnglishWords = std::to_array<std::string_view>(
    {"a",  "an", "and", "are", "can", "do",   "does", "for",   "how",   "i",   "in",
     "is", "it", "of",  "the", "to",  "what", "when", "where", "which", "why", "with"});
constexpr auto kPrefixes =
    std::to_array<std::string_view>({"ab", "an", "auf", "aus", "ein", "frei", "hinzu", "hoch", "um",
                                     "weiter", "zu", "zurück", "zusammen"});
constexpr std::size_t kFewestGermanWords = 2;

constexpr auto kGermanEndings =
    std::to_array<std::string_view>({"", "en", "em", "er", "es", "e", "n", "s", "t", "te", "st"});
constexpr std::size_t kShortestPart = 4;  // of a compound, in bytes

std::optional<std::string_view> looked_up(std::string_view word) {
  const auto found = std::ranges::lower_bound(kDictionary, word, {}, &Entry::german);
  if (found == kDictionary.end() || found->german != word) return std::nullopt;
  return found->english;
}

/// The English words for a form of a German word, such as "gespeichert" or "Dateien".
std::optional<std::string_view> simple(std::string_view word) {
  for (const std::string_view ending : kGermanEndings) {
    if (!word.ends_with(ending) || word.size() <= ending.size() + 2) continue;
    const std::string_view base = word.substr(0, word.size() - ending.size());
    for (const std::string_view added : {"", "en", "n", "e"}) {
      if (const auto found = looked_up(std::string(base) + std::string(added))) return found;
    }
  }
  if (word.starts_with("ge") && word.ends_with('t') && word.size() > 5) {
    const std::string base(word.substr(2, word.size() - 3));
    for (const char* added : {"en", "n"}) {
      if (const auto found = looked_up(base + added)) return found;
    }
  }
  return std::nullopt;
}

std::string joined(std::string_view first, std::string_view second) {
  return std::string(first) + " " + std::string(second);
}

/// The English words for a word or a compound of two, with an "s" or "n" between them or without.
std::optional<std::string> english_for(std::string_view word) {
  if (const auto found = simple(word)) return std::string(*found);
  for (std::size_t at = kShortestPart; at + kShortestPart <= word.size(); ++at) {
    const auto second = simple(word.substr(at));
    if (!second) continue;
    for (const std::size_t joint : {0u, 1u}) {
      if (const auto first = simple(word.substr(0, at - joint))) return joined(*first, *second);
    }
  }
  return std::nullopt;
}

bool is_among(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// True if more of the words are German than English.
bool is_german(const std::vector<std::string>& words) {
  std::size_t german = 0;
  std::size_t english = 0;
  for (const std::string& word : words) {
    const auto found = simple(word);
    if (is_among(kEnglishWords, word)) {
      ++english;
    } else if (is_among(kGermanWords, word) || (found && *found != word)) {
      ++german;
    }
  }
  return german >= kFewestGermanWords && german > english;
}

/// The umlauts of German in lower case, which lowered() leaves.
std::string with_small_umlauts(std::string text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kUmlauts = {
      {{"Ä", "ä"}, {"Ö", "ö"}, {"Ü", "ü"}}};
  for (const auto& [large, small] : kUmlauts) {
    for (std::size_t at = text.find(large); at != std::string::npos; at = text.find(large, at)) {
      text.replace(at, large.size(), small);
    }
  }
  return text;
}

}  // namespace

std::string in_english(std::string_view question) {
  const std::vector<std::string> words = words_of(with_small_umlauts(std::string(question)));
  if (!is_german(words)) return {};
  const std::string prefix = is_among(kPrefixes, words.back()) ? words.back() : std::string();
  std::string out;
  bool joined_verb = false;
  for (const std::string& word : words) {
    std::optional<std::string> english;
    if (const auto verb = prefix.empty() ? std::nullopt : simple(prefix + word)) {
      english = std::string(*verb);
      joined_verb = true;
    }
    if (!english && (is_common(word) || (joined_verb && word == prefix))) continue;
    if (!english) english = english_for(word);
    if (!out.empty()) out += ' ';
    out += english.value_or(word);
  }
  return out;
}

}  // namespace quarry::extractive
