"""Wrong inputs, and what is said of each: the field or thing, the cause and the next step, each once.

COMMANDS are (words of the command line, exit code, field, cause, next step); {folder} is one with a text, {server}
a server that is no Quarry. FILES are contents of quarry.toml for "config check"; REQUESTS are (method, path, body,
status, …) of the HTTP interface; CALLS are (tool, arguments, …) of MCP; MODELS are (status and body of the model's
server, exit code, …) of "ask".
"""

HELP = "--help"
NO_RESOURCE = 'there is no resource "nope"'

COMMANDS = (
    ("fly", 2, "verb", 'no verb "fly"', "there are: serve, ask"),
    ("ask", 2, "question", "is required", HELP),
    ("ask ''", 2, '"question"', "must not be empty", HELP),
    ("ask -r", 2, "--resource", "1 required", HELP),
    ("ask --odd q", 2, "--odd", "not expected", HELP),
    ("ask --set nothing q", 2, "--set", '"nothing" is not', "name=value"),
    ("ask --set modle.provider=x q", 3, "modle.provider", "is not known", 'did you mean "model"'),
    ("ask --set model.max_steps=many q", 3, "model.max_steps", "must be of type integer", "Correct the named places"),
    ("-c /nope.toml ask q", 3, "/nope.toml", "No such file", HELP),
    ("ask -r nope q", 3, "resource", NO_RESOURCE, "There are: docs."),
    ("ask -r dosc q", 3, "resource", 'there is no resource "dosc"', 'Did you mean "docs"?'),
    ("ask -r ./nope q", 3, "./nope", "there is no folder or file", "Check the spelling."),
    ("ask -r /etc q", 3, "path", "/etc lies in /etc", "local_roots"),
    ("ask -r git@example.org:o/n.git q", 3, "url", "is an ssh URL", "Use its https URL"),
    ("ask -r 'npm:Not A Name' q", 3, "package", "holds white space", "Write it as in package.json"),
    ("ask -r pypi:requests@abc q", 3, "version", "no version specifier", "Write one such as"),
    ("ask -r https://example.org q", 3, "url", "names a host, but no repository", "Give the https URL"),
    ("ask -s {server} q", 5, "{server}", "is no Quarry", 'that "quarry serve" prints'),
    ("ask -s http://127.0.0.1:1 q", 5, "http://127.0.0.1:1", "refused the connection", "check that the server runs"),
    ("ask --locked q", 3, "quarry.lock", "No such file", "quarry lock"),
    ("add", 2, "source", "is required", HELP),
    ("add ./nope", 3, "./nope", "there is no folder or file", "Check the spelling."),
    ("add npm", 2, "--package", "a reference or --package is required", HELP),
    ("add git --branch main", 2, "--url", "a reference or --url is required", HELP),
    ("add npm --version 1 --name x", 2, "--package", "is required", HELP),
    ("add git --url notaurl", 3, "url", "is no URL", "Give the https URL"),
    ("models setup nope", 3, "nope", "nothing of \"nope\" was found", "Start a server"),
    ("add {folder} --name 'a b'", 3, '"name"', "must be letters", 'as in "@scope/name"'),
    ("add {folder} --name x --refresh often", 3, '"refresh"', "must be", '"15m"'),
    ("remove nope", 3, "resource", NO_RESOURCE, "There are: docs."),
    ("sync nope", 3, "resource", NO_RESOURCE, "There are: docs."),
    ("threads show nope", 1, "thread", 'there is no thread "nope"', "quarry threads"),
    ("usage --since yesterday", 2, '"since"', "must be a day", '"7d"'),
    ("usage --by hour", 2, "--by", "hour not in", HELP),
    ("grep '('", 2, "pattern", "missing )", "put \\ before"),
    ("read docs/nope.md", 2, "path", 'there is no "docs/nope.md"', "Use list"),
    ("models use wrok", 3, "provider", '"wrok"', "There are: anthropic"),
    ("models use openai", 3, "openai", "OPENAI_API_KEY is not set", "Set the variable"),
    ("config set log.level loud", 3, "log.level", "must be one of", "Correct the named places"),
    ("tokens create --project nope", 1, "project", 'there is no project "nope"', "quarry projects create nope"),
    ("mcp setup claude-code --url ftp://x", 2, "--url", "must begin with https:// or http://", HELP),
    ("mcp setup claude-code --name 'a b'", 2, "--name", "must be of letters", HELP),
    ("mcp setup --url ftp://x", 2, "client", "is required", HELP),
)

RESOURCE = '[[resource]]\nname = "a"\ntype = '
FILES = (
    ('[modle]\nprovider = "x"', "modle", "is not known", 'did you mean "model"'),
    ('[model]\nprovider = "opnai"', "provider", '"opnai"', 'did you mean "openai"'),
    ("[model]\nmax_steps = -1", "max_steps", "must be at least 1", "Correct the named places"),
    ('[model]\nprovider = "openai"\napi_key = "abc"', "api_key", "must be a reference", 'env = "NAME"'),
    ('[model]\nprovider = "openai"\nbase_url = "localhost:1"', "base_url", "must begin with http://", "https://"),
    ("[model\n", "quarry.toml:1", "not valid TOML", "Correct the file"),
    ('[transport.rest]\nlisten = "127.0.0.1"', "listen", "not an address and a port", 'Write "127.0.0.1:8080"'),
    ('[transport.rest]\nlisten = "0.0.0.0:80"', "listen", "needs a token", "auth_token"),
    ('[log]\nlevel = "loud"', "level", "must be one of", '"debug"'),
    (RESOURCE + '"gitt"\nurl = "https://example.org/x"', "type", 'offers the type of resource "gitt"', 'did you mean "git"'),
    (RESOURCE + '"git"\nurl = "notaurl"', "url", "is no URL", "Give the https URL"),
    (RESOURCE + '"npm"\npackage = "x"\npakage = "y"', "pakage", "is not known", 'did you mean "package"'),
)

SCHEMA = "/openapi.json"
REQUESTS = (
    ("POST", "/question", {}, 400, "question", "is required", SCHEMA),
    ("POST", "/question", {"question": ""}, 400, "question", "must not be empty", SCHEMA),
    ("POST", "/question", "{", 400, "body", "not valid JSON", SCHEMA),
    ("POST", "/question", {"question": "q", "resources": ["nope"]}, 400, "resource", NO_RESOURCE, "There are: docs."),
    ("GET", "/nope", None, 404, "/nope", "unknown path", SCHEMA),
    ("DELETE", "/question", None, 405, "/question", "does not allow DELETE", "It allows POST"),
    ("POST", "/config/resources", {"type": "gitt", "name": "x"}, 400, "type", 'no type "gitt"', 'did you mean "git"'),
    ("POST", "/config/resources", {"type": "git", "name": "x", "url": "notaurl"}, 400, "url", "is no URL",
     "Give the https URL"),
    ("DELETE", "/config/resources/nope", None, 404, "resource", NO_RESOURCE, "There are: docs."),
    ("PUT", "/config/model", {"provider": "wrok", "model": ""}, 400, "provider", '"wrok"', "There are: anthropic"),
    ("GET", "/usage?since=yesterday", None, 400, "since", "must be a day", "7d"),
    ("GET", "/threads/nope", None, 404, "thread", 'there is no thread "nope"', "quarry threads"),
    ("POST", "/tools/nope", {}, 404, "tool", 'there is no tool "nope"', "The tools are: search"),
    ("POST", "/tools/grep", {"pattern": "("}, 400, "pattern", "missing )", "put \\ before"),
    ("GET", "/resources/docs/files/guide.md?startLine=99", None, 400, "startLine", "is beyond the last line", SCHEMA),
)

CALLS = (
    ("nope", {}, "tool", "there is no tool nope", "tools/list"),
    ("grep", {"pattern": "("}, "pattern", "missing )", "put \\ before"),
    ("search", {"query": "x", "resource": "docs"}, "resource", "is not known", 'did you mean "resources"?'),
    ("search", {"query": "x", "resources": ["nope"]}, "there is no resource", "nope", "There are: docs."),
    ("ask", {"question": "q", "resources": ["nope", "nape"]}, "there is no resource", "nope", "There are: docs."),
    ("read", {"path": "docs/nope.md"}, "path", 'there is no "docs/nope.md"', "Use list"),
)

MODELS = (
    ((401, '{"error": {"message": "bad key"}}'), 4, "openai", "bad key", "Check the API key"),
    ((404, '{"error": {"message": "no model m"}}'), 1, "openai/m", "no model m", "Check the name of the model"),
    ((429, '{"error": {"message": "slow down"}}', ("Retry-After", "60")), 6, "openai/m", "slow down", "Ask again in 60"),
    ((429, '{"error": {"message": "no quota", "code": "insufficient_quota"}}', ("Retry-After", "60")), 6, "openai/m",
     "no quota", "Ask again in 60"),
    ((503, "down", ("Retry-After", "60")), 5, "openai/m", "HTTP 503", "Ask again in 60"),
    ((200, "<html>"), 5, "openai/m", "is not a stream", "Ask again, or choose another model."),
)
