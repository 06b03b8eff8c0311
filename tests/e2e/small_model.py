"""Writes a small model for llama.cpp's real server. It produces fixed texts, token by token:
attention and feed-forward add nothing to a token, and the output is a table of successors. Its chat
template selects the text from the question."""

import struct

WIDTH = 64  # of an embedding: each token with a successor has its own dimension
CONTEXT = 32768

# Its texts, token by token. No token occurs twice, as each has one successor.
ANSWER = ["It", " is", " off", " by", " default", " [code:README.md#L3]", "."]
SAYS = {
    "answer": ANSWER,
    "think": ["<think>", "The", " reader", " wants", " the", " default.", "</think>", *ANSWER],
    "look": ["Looking.", '\n<tool_call>\n{"name": "search"', ', "arguments": {"query"',
             ': "zebra"}}', "\n</tool_call>", '\n<tool_call>\n{"name": "list", "arguments": ',
             '{"path": ""}}\n', "</tool_call>"],
    "read": ['<tool_call>\n{"name": "read", "arguments": ', '{"path": "code/README.md"}}',
             "\n</tool_call>\n"],
    "endless": [" and", " so", " on"],
}
END = "<|end|>"
# A question that contains the name of a text gets that text; "loop" looks, then reads, then
# answers.
TEMPLATE = """
{%- for tool in tools or [] %}{{ '<|tools|>' + tool.function.name }}{% endfor %}
{%- for message in messages %}
{{- '<|' + message.role + '|>' }}
{%- set thought = message.reasoning_content %}
{{- '<think>' + thought + '</think>' if thought else '' }}
{{- message.content or '' }}
{%- for call in message.tool_calls or [] %}
{%- set given = call.function.arguments %}
{{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- given if given is string else given | tojson }}
{{- '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
{%- set results = messages | selectattr('role', 'equalto', 'tool') | list | length %}
{%- set asked = messages | selectattr('role', 'equalto', 'user') | list | last %}
{%- set asked = (asked.content or '') | string if asked else '' %}
{{- '<|assistant|>' }}
{%- if 'loop' in asked and tools and results == 0 %}{{ '<|look|>' }}
{%- elif 'loop' in asked and tools and results == 2 %}{{ '<|read|>' }}
{%- elif 'think' in asked %}{{ '<|think|>' }}
{%- elif 'endless' in asked %}{{ '<|endless|>' }}
{%- else %}{{ '<|answer|>' }}{% endif %}
{%- endif %}
"""

NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6


def vocabulary():
    """[(text, type)]: the id of a token is its index."""
    roles = ["tools", "system", "user", "assistant", "tool"]
    out = [("<unk>", UNKNOWN), (END, CONTROL)]
    out += [(f"<|{name}|>", CONTROL) for name in [*roles, *SAYS]]
    out += [(f"<0x{byte:02X}>", BYTE) for byte in range(256)]
    words = dict.fromkeys(word for text in SAYS.values() for word in text)
    return out + [(word.replace(" ", "\u2581"), NORMAL) for word in words]


def successors(ids):
    """{token: the one after it}"""
    out = {}
    for name, words in SAYS.items():
        chain = [f"<|{name}|>", *(word.replace(" ", "\u2581") for word in words)]
        chain.append(chain[1] if name == "endless" else END)
        out.update({ids[a]: ids[b] for a, b in zip(chain, chain[1:])})
    return out


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def number(value):
    return struct.pack("<II", 4, value)


def array(kind, values):
    """kind: 5 = int32, 6 = float32, 8 = text"""
    form = "<i" if kind == 5 else "<f"
    items = b"".join(text(value) if kind == 8 else struct.pack(form, value) for value in values)
    return struct.pack("<IIQ", 9, kind, len(values)) + items


def metadata(words):
    flag = lambda value: struct.pack("<IB", 7, value)
    word = lambda value: struct.pack("<I", 8) + text(value)
    return {
        "general.architecture": word("llama"),
        "general.name": word("small"),
        "llama.context_length": number(CONTEXT),
        "llama.embedding_length": number(WIDTH),
        "llama.block_count": number(1),
        "llama.feed_forward_length": number(32),
        "llama.attention.head_count": number(1),
        "llama.attention.key_length": number(32),
        "llama.attention.value_length": number(32),
        "llama.rope.dimension_count": number(32),
        "llama.attention.layer_norm_rms_epsilon": struct.pack("<If", 6, 1e-5),
        "tokenizer.ggml.model": word("llama"),
        "tokenizer.ggml.tokens": array(8, [token for token, _ in words]),
        "tokenizer.ggml.scores": array(6, [0.0] * len(words)),
        "tokenizer.ggml.token_type": array(5, [kind for _, kind in words]),
        "tokenizer.ggml.unknown_token_id": number(0),
        "tokenizer.ggml.eos_token_id": number(1),
        "tokenizer.ggml.add_bos_token": flag(False),
        "tokenizer.ggml.add_space_prefix": flag(False),
        "tokenizer.chat_template": word(TEMPLATE),
    }


def tensors(words):
    """{name: (dimensions, values)}"""
    follows = successors({token: number for number, (token, _) in enumerate(words)})
    place = {token: dimension for dimension, token in enumerate(follows)}
    embedding, output = bytearray(), []
    for token in range(len(words)):
        row = [0.0] * WIDTH
        row[place.get(token, WIDTH - 1)] = 1.0
        embedding += struct.pack(f"<{WIDTH}f", *row)
        output.append([0.0] * WIDTH)
    for token, after in follows.items():
        output[after][place[token]] = 10.0
    nothing = lambda *shape: (shape, bytes(4 * shape[0] * shape[1]))
    ones = ((WIDTH,), struct.pack(f"<{WIDTH}f", *[1.0] * WIDTH))
    return {
        "token_embd.weight": ((WIDTH, len(words)), bytes(embedding)),
        "output.weight": ((WIDTH, len(words)),
                          b"".join(struct.pack(f"<{WIDTH}f", *row) for row in output)),
        "output_norm.weight": ones,
        "blk.0.attn_norm.weight": ones,
        "blk.0.attn_q.weight": nothing(WIDTH, 32),
        "blk.0.attn_k.weight": nothing(WIDTH, 32),
        "blk.0.attn_v.weight": nothing(WIDTH, 32),
        "blk.0.attn_output.weight": nothing(32, WIDTH),
        "blk.0.ffn_norm.weight": ones,
        "blk.0.ffn_gate.weight": nothing(WIDTH, 32),
        "blk.0.ffn_up.weight": nothing(WIDTH, 32),
        "blk.0.ffn_down.weight": nothing(32, WIDTH),
    }


def write(path):
    """A GGUF file, version 3."""
    words = vocabulary()
    pairs, parts = metadata(words), tensors(words)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(parts), len(pairs))
    head += b"".join(text(key) + value for key, value in pairs.items())
    offset, body = 0, b""
    for name, (shape, data) in parts.items():
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset)
        data += bytes(-len(data) % 32)
        offset += len(data)
        body += data
    path.write_bytes(head + bytes(-len(head) % 32) + body)
