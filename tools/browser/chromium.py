"""Drives Chromium by its DevTools protocol over a pipe, with nothing but the standard library."""

import json
import os
import select
import subprocess
import time


class Failed(Exception):
    """A command of the protocol failed, or took too long."""


class Chromium:
    """A headless browser with one page."""

    def __init__(self, profile):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        script = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
        options = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
                   "--hide-scrollbars", f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", script, "chromium", str(to_browser), str(from_browser), "chromium", *options],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._buffer = b""
        self._session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Sends a command and returns its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            received = self._receive(60)
            if received is None:
                raise Failed(f"{method}: no reply within 60 s")
            if received.get("id") == self._number:
                if "error" in received:
                    raise Failed(f"{method}: {received['error']['message']}")
                return received["result"]
            self.events.append(received)

    def _receive(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0, end - time.monotonic()))[0]:
                return None
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise Failed("the browser has gone")
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def wait_for(self, expression, what, seconds=20):
        """Waits until a JavaScript expression is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.evaluate(f"Boolean({expression})"):
                    return
            except Failed:
                pass  # The page is just changing.
            self.pause(0.05)
        raise Failed(f"waited {seconds} s for {what}")

    def pause(self, seconds):
        """Waits, and keeps the events that arrive."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            received = self._receive(left)
            if received is not None:
                self.events.append(received)

    def open(self, address):
        """Opens an address and waits until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        self._loaded()

    def _loaded(self):
        end = time.monotonic() + 30
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            received = self._receive(end - time.monotonic()) if end > time.monotonic() else None
            if received is None:
                raise Failed("the page did not load within 30 s")
            self.events.append(received)

    def evaluate(self, expression, wait=False):
        """The value of a JavaScript expression."""
        reply = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=wait)
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            raise Failed(details.get("exception", {}).get("description", details["text"]))
        return reply["result"].get("value")

    def key(self, key, control=False):
        """Presses a key, or types a character."""
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 and not control else "")
        # The codes of other characters are those of other keys: 40 is the arrow down, not a bracket.
        has_code = len(key) == 1 and (key.isascii() and key.isalnum() or key == " ")
        code = codes.get(key, ord(key.upper()) if has_code else 0)
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 2 if control else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        """Types a text, key by key."""
        for character in text:
            self.key(character)

    def look(self, width, dark):
        """Sets the width of the page and the colour scheme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self):
        """The whole page as PNG, in base64."""
        return self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "scale": 1, **self._size()})["data"]

    def _size(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"width": size["width"], "height": min(size["height"], 6000)}

    def close(self):
        """Ends the browser."""
        try:
            self._session = None
            self.call("Browser.close")
        except Failed:
            self._process.kill()
        self._process.wait(timeout=20)
