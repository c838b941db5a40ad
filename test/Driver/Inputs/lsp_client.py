"""Plays an editor: sends what the test says, prints what the server answers, one JSON object a line."""
import json
import subprocess
import sys

server = subprocess.Popen(["tlxc", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
uri = "file:///tmp/kernel%20one.tlx"


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def receive():
    length = 0
    while (line := server.stdout.readline().strip()) != b"":
        length = int(line.split(b":")[1])
    return json.loads(server.stdout.read(length))


def show(label, value):
    print(label + ": " + json.dumps(value, sort_keys=True))


number = 0


def ask(label, method, marker=None):
    """A request at the place of a marker in the text."""
    global number
    number += 1
    params = {"textDocument": {"uri": uri}}
    if marker is not None:
        before = text[: text.index(marker) + len(marker)]
        params["position"] = {"line": before.count("\n"), "character": len(before.rsplit("\n", 1)[-1])}
    send({"id": number, "method": method, "params": params})
    answer = receive()
    assert answer["id"] == number
    show(label, answer["result"] if "result" in answer else answer["error"])


def open_with(label, new_text, method="textDocument/didOpen"):
    global text
    text = new_text
    document = {"uri": uri, "text": text, "version": 1, "languageId": "tlx"}
    send({"method": method, "params": {"textDocument": document, "contentChanges": [{"text": text}]}})
    show(label, receive()["params"]["diagnostics"])


source = open(sys.argv[1]).read()
ask("initialize", "initialize")
send({"method": "initialized", "params": {}})
open_with("broken", source.replace("tlx.barrier_arrive", "tlx.barrier_arive"))
open_with("unfinished", source + "\n    x = (1 +", "textDocument/didChange")
open_with("clean", source, "textDocument/didChange")
ask("completion", "textDocument/completion", "tlx.barrier_w")
ask("hover", "textDocument/hover", "tlx.local_lo")
ask("hover-buffer", "textDocument/hover", "local_load(x")
ask("definition", "textDocument/definition", "tile = tlx.local_load(x[sl")
ask("nowhere", "textDocument/hover", "import ")
ask("unknown", "textDocument/rename")
server.stdin.write(b"Content-Length: twelve\r\n\r\n{\"a\": true}")
server.stdin.flush()
show("length", receive()["error"]["code"])
ask("after", "textDocument/hover", "import ")
send({"id": 99, "result": None})
ask("shutdown", "shutdown")
send({"method": "exit"})
print("exit:", server.wait(timeout=20))
