#!/usr/bin/env python3
"""Lets a program in a terminal have the terminal's browser tab do something.

One file without dependencies, for Python 3.8 and later. Copy it beside your program:

    import pagewire_client as browser

    print(browser.call("celebrate", {"reason": "Python"}).text)
    for piece in browser.stream("write_poem"):
        print(piece, end="", flush=True)

Or use it as a command: python3 pagewire_client.py celebrate '{}'
"""

import argparse
import contextlib
import http.client
import io
import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, NoReturn, Optional, Sequence
from urllib.parse import urlsplit

Json = Dict[str, Any]

#: The most that an answer, or one line of a stream, may be, in bytes.
LARGEST_ANSWER = 16 * 1024 * 1024
#: Seconds that an action may take at most, and that the hub is waited for beyond an action's own time.
LONGEST_TIME = 15 * 60.0
LAST_WORD_TIME = 10.0


class PagewireError(Exception):
    """Something that failed. `code` tells the causes apart; the reference of Pagewire lists all of them."""

    def __init__(self, code: str, message: str, outcome: Optional[str] = None, ran: str = "maybe") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        #: How the call ended, where there was one, such as "page-gone".
        self.outcome = outcome
        #: Whether the action ran, "yes", "no" or "maybe": only after "no" is it safe to ask again without a key.
        self.ran = ran


@dataclass(frozen=True)
class Result:
    """What an action gave back."""

    #: All of it as text: as JSON where it is none.
    text: str
    structured: Any = None
    #: Of an action that answers in fields, such as `fetch` with its status, headers and body.
    fields: Optional[Json] = None
    #: Blocks of content, where not all of them are text.
    content: Optional[List[Json]] = None


class Terminal(NamedTuple):
    """What a request needs to know of the terminal that this program runs in."""

    url: str
    token: str
    browser_id: str


Progress = Callable[[float, Optional[float], Optional[str]], None]


def get_browser_id() -> str:
    """The id to name as `browser_id`, or "". Ask for it per request: a terminal can be given to another tab."""
    for command in (["pagewire", "browser-id"], ["klangk-browser-id"]):
        found = _output_of(command)
        if found:
            return found
    return os.environ.get("PAGEWIRE_TERMINAL", "")


def find_terminal() -> Terminal:
    """The terminal that this program runs in, as it is now; raises where that is none of Pagewire's."""
    found = _parse(_output_of(["pagewire", "workspace-token", "--json"])) or {}
    if all(isinstance(found.get(name), str) for name in ("url", "token", "browserId")):
        return Terminal(found["url"], found["token"], found["browserId"])
    environment = os.environ.get
    url = environment("PAGEWIRE_URL") or environment("KLANGKWS_BRIDGE_URL") or environment("KLANGK_BRIDGE_URL")
    token = environment("PAGEWIRE_TERMINAL_TOKEN") or environment("KLANGK_WORKSPACE_TOKEN")
    browser_id = get_browser_id()
    if url and token and browser_id:
        return Terminal(url, token, browser_id)
    raise PagewireError(
        "terminal-not-found",
        "This terminal belongs to no tab, or there is no command pagewire to ask. Open one with: npx pagewire terminal",
        ran="no",
    )


def call(
    action: str,
    arguments: Optional[Mapping[str, Any]] = None,
    *,
    timeout: Optional[float] = None,
    key: Optional[str] = None,
) -> Result:
    """Has the tab do something, and waits for what comes of it.

    `timeout` is how many seconds it may take; the same `key` again is given the same outcome, never a second run.
    What interrupts the wait, such as Ctrl-C, cancels the action in the tab; one with a key runs on for a while, for
    whoever comes back with that key.
    """
    with _open("", action, arguments, timeout=timeout, key=key) as response:
        return _result_of(_parse(_read(response)))


def stream(
    action: str,
    arguments: Optional[Mapping[str, Any]] = None,
    *,
    timeout: Optional[float] = None,
    key: Optional[str] = None,
    on_progress: Optional[Progress] = None,
    on_result: Optional[Callable[[Result], None]] = None,
) -> Iterator[str]:
    """The answer of an action piece by piece, as it comes. Closing the iterator cancels the action in the tab.

    `timeout` is how many seconds the action may be silent; `on_result` is given what it came to at last.
    """
    half = ""
    with _open("/stream", action, arguments, timeout=timeout, key=key, progress=on_progress is not None) as response:
        while True:
            line = _guard(lambda: response.readline(LARGEST_ANSWER + 1))
            if len(line) > LARGEST_ANSWER:
                raise PagewireError("result-too-large", "The hub sent a line that does not end.")
            if not line:
                raise _lost("the stream ended before its end was told")
            said = _parse(line)
            if said is None:
                if line.strip():
                    raise PagewireError("frame-malformed", "The hub sent a line that is no JSON object.")
                continue
            kind = said.get("type")
            if kind == "chunk":
                delta = said.get("delta")
                text = half + (delta if isinstance(delta, str) else json.dumps(delta))
                # A piece may end in the middle of a character, whose other half comes with the next.
                half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
                yield _whole(text[: len(text) - len(half)])
            elif kind == "progress" and on_progress and isinstance(said.get("progress"), (int, float)):
                on_progress(said["progress"], said.get("total"), said.get("message"))
            elif kind == "error":
                raise _failure({**said, "detail": said.get("error")})
            elif kind == "done":
                if half:
                    yield _whole(half)
                result = _result_of(said.get("result"))
                if on_result:
                    on_result(result)
                return


def actions() -> Json:
    """The tab that the terminal is shown in, and everything that it can do, with schemas."""
    with _request("GET", "/actions", find_terminal(), wait=40.0) as response:
        found = _parse(_read(response))
    listed = found.get("actions") if found else None
    if not isinstance(listed, list) or not all(isinstance(each, dict) and "name" in each for each in listed):
        raise PagewireError("frame-malformed", "The hub does not say what the tab can do.")
    return found


def _open(
    path: str,
    action: str,
    arguments: Optional[Mapping[str, Any]],
    *,
    timeout: Optional[float],
    key: Optional[str],
    progress: bool = False,
) -> "contextlib.AbstractContextManager[http.client.HTTPResponse]":
    if timeout is not None and not timeout > 0:
        raise PagewireError("options-invalid", f"The timeout must be more than 0 seconds, not {timeout}.", ran="no")
    terminal = find_terminal()
    headers = {"Content-Type": "application/json"}
    if timeout is not None:
        headers["Pagewire-Timeout"] = str(timeout)
    if key is not None:
        headers["Idempotency-Key"] = key
    if progress:
        headers["Pagewire-Progress"] = "1"
    body: Json = dict(arguments or {})
    if "action" in body or "browser_id" in body:
        # The action has arguments of these names itself.
        headers.update({"Pagewire-Action": action, "Pagewire-Browser-Id": terminal.browser_id})
    else:
        body.update({"action": action, "browser_id": terminal.browser_id})
    wait = min(timeout or LONGEST_TIME, LONGEST_TIME) + LAST_WORD_TIME
    return _request("POST", path, terminal, wait=wait, headers=headers, body=json.dumps(body).encode())


@contextlib.contextmanager
def _request(
    method: str,
    path: str,
    terminal: Terminal,
    *,
    wait: float,
    headers: Optional[Dict[str, str]] = None,
    body: Optional[bytes] = None,
) -> Iterator[http.client.HTTPResponse]:
    """A response that is good. Leaving it closes its connection, which tells the hub that nobody waits any more."""
    address = urlsplit(terminal.url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise PagewireError("options-invalid", f"{terminal.url!r} is not the address of a hub.", ran="no")
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.hostname, address.port, timeout=LAST_WORD_TIME)
    try:
        try:
            connection.connect()
            connection.sock.settimeout(wait)
        except OSError as error:
            why = f"No hub answers at {terminal.url}: {error}. Start it with: npx pagewire"
            raise PagewireError("hub-unreachable", why, ran="no") from error
        target = f"{address.path.rstrip('/')}/api/browser-delegate{path}"
        credential = {"Authorization": f"Bearer {terminal.token}", "User-Agent": "pagewire-python"}
        try:
            _guard(lambda: connection.request(method, target, body, {**credential, **(headers or {})}))
        except ValueError as error:
            why = "The token, the key or the action cannot be put into a header."
            raise PagewireError("options-invalid", why, ran="no") from error
        response = _guard(connection.getresponse)
        if response.status != 200:
            raise _failure(_parse(_read(response)), response.status)
        yield response
    finally:
        connection.close()


def _guard(step: Callable[[], Any]) -> Any:
    """Does something with the connection; what breaks it has a name."""
    try:
        return step()
    except socket.timeout as error:
        raise PagewireError("deadline-exceeded", "The hub said nothing for too long.") from error
    except (OSError, http.client.HTTPException) as error:
        raise _lost(str(error) or type(error).__name__) from error


def _read(response: http.client.HTTPResponse) -> bytes:
    body: bytes = _guard(lambda: response.read(LARGEST_ANSWER + 1))
    if len(body) > LARGEST_ANSWER:
        raise PagewireError("result-too-large", "The hub's answer does not end.")
    return body


def _parse(text: "bytes | str | None") -> Optional[Json]:
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _result_of(answer: Any) -> Result:
    if not isinstance(answer, dict):
        raise PagewireError("frame-malformed", "The hub's answer is no JSON object.")
    fields = {name: value for name, value in answer.items() if name not in ("cmd", "id", "replay")}
    if fields.get("status") != "ok":
        return Result(json.dumps(fields), fields=fields)
    content = fields.get("content")
    text = fields.get("result")
    if not isinstance(text, str):
        raise PagewireError("frame-malformed", "The hub's answer has no text.")
    return Result(_whole(text), structured=fields.get("structured"), content=content if isinstance(content, list) else None)


def _whole(text: str) -> str:
    """Text in which halves of characters, which Python cannot write, are put together or replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _failure(said: Optional[Json], status: Optional[int] = None) -> PagewireError:
    said = said or {}
    if isinstance(said.get("error"), dict):
        said = said["error"]
    text = said.get("message") or said.get("detail")
    if not isinstance(text, str):
        return PagewireError("hub-unreachable", f"Something answers, but not as a hub: it says {status}.")
    ran = said.get("ran")
    return PagewireError(
        str(said.get("code") or "internal-error"),
        _whole(text),
        outcome=said.get("outcome"),
        ran=ran if ran in ("yes", "no") else "maybe",
    )


def _lost(why: str) -> PagewireError:
    return PagewireError("outcome-unknown", f"The connection to the hub was lost: {why}. The action may have run.")


def _output_of(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=15)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


def _plain(text: str, stream: Any = None) -> str:
    """Text of a page for a terminal, which would obey control characters."""
    if not (stream or sys.stdout).isatty():
        return text
    return "".join(each if each in "\n\t" or each.isprintable() else "\ufffd" for each in text)


def _print_result(result: Result, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({name: value for name, value in vars(result).items() if value is not None}))
    elif result.text:
        print(_plain(result.text))


def _run_command(words: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description="Has the tab that shows this terminal do something.")
    parser.add_argument("action", nargs="?", help="what to do; --list tells what there is")
    parser.add_argument("arguments", nargs="?", default="{}", help="a JSON object, or - for one on stdin")
    parser.add_argument("--list", action="store_true", help="list what the tab can do")
    parser.add_argument("--stream", action="store_true", help="write the answer piece by piece, as it comes")
    parser.add_argument("--timeout", type=float, help="seconds that it may take, or a stream be silent")
    parser.add_argument("--key", help="the same key again gives the same outcome, never a second run")
    parser.add_argument("--json", action="store_true", help="write the whole result as JSON")
    given = parser.parse_args(words)
    if given.list:
        found = actions()
        for each in [found] if given.json else found["actions"]:
            print(json.dumps(each) if given.json else _plain(_whole(f"{each['name']}  {each.get('description', '')}")))
        return 0
    if not given.action:
        _refuse(parser, "name an action, or say --list")
    text = sys.stdin.read() if given.arguments == "-" else given.arguments
    arguments = _parse(text)
    if arguments is None:
        _refuse(parser, "the arguments are not a JSON object, such as '{\"days\": 7}'")
    if not given.stream:
        result = call(given.action, arguments, timeout=given.timeout, key=given.key)
        _print_result(result, as_json=given.json)
        return 0
    results: List[Result] = []
    for piece in stream(given.action, arguments, timeout=given.timeout, key=given.key, on_result=results.append):
        sys.stdout.write(json.dumps({"chunk": piece}) + "\n" if given.json else _plain(piece))
        sys.stdout.flush()
    if given.json:
        _print_result(results[0], as_json=True)
    else:
        print()
    return 0


def _refuse(parser: argparse.ArgumentParser, why: str) -> NoReturn:
    parser.error(why)


def main(words: Optional[Sequence[str]] = None) -> int:
    """Runs the command; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # Not every terminal can show every character that a page writes.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        return _run_command(words)
    except PagewireError as error:
        print(_plain(f"Error: {error.message} ({error.code})", sys.stderr), file=sys.stderr)
        return 3 if error.code == "hub-unreachable" else 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
