#!/usr/bin/env python3
"""Opens pages in Chromium, checks that everybody can read them, and takes pictures of them.

    pages.py [--axe axe.min.js] [--pictures FOLDER] [--script 'JAVASCRIPT'] PAGE.html[#ADDRESS]...
    pages.py --print 'JAVASCRIPT' PAGE.html
    pages.py --picture FILE.png --size 1280x1500 PAGE.html

Each page is opened with 1280, 360 and 320 pixels, in light and dark. It must not be wider than the window, load nothing over the network,
and report no error; axe, if it is given, must find no violation of WCAG 2.2 A and AA. --script runs first and must give true.
Needs nothing but Python and Chromium: it speaks the DevTools protocol through a pipe.
"""

import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WINDOWS = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark"), (320, "light")]
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


class Browser:
    """A headless Chromium with one page."""

    def __init__(self, profile):
        to_browser, from_us = os.pipe()
        to_us, from_browser = os.pipe()
        arguments = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                     f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]

        def pipes():
            # Chromium reads from 3 and writes to 4. The copies keep the two from overwriting each other.
            reads, writes = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(arguments, preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.writer, self.reader = os.fdopen(from_us, "wb", 0), os.fdopen(to_us, "rb", 1 << 20)
        self.number, self.session, self.events = 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(f"{domain}.enable")

    def read(self):
        message = bytearray()
        while (byte := self.reader.read(1)) not in (b"\0", b""):
            message += byte
        if not message:
            sys.exit("pages.py: Chromium has ended")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.writer.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, event):
        while not any(found.get("method") == event for found in self.events):
            self.events.append(self.read())

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def open(self, address, width, scheme, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        # A page of the same file with another address would not be loaded anew.
        self.call("Page.navigate", url="about:blank")
        self.wait("Page.loadEventFired")
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait("Page.loadEventFired")
        self.evaluate("new Promise((done) => setTimeout(done, 50))")

    def picture(self, path, width, height=None):
        """Of the whole page, unless a height is given."""
        height = height or min(self.evaluate("document.documentElement.scrollHeight"), 9000)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def pdf(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]))

    def problems(self):
        """What went wrong since the page was opened."""
        found = []
        for event in self.events:
            method, about = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append("an error: " + about["exceptionDetails"].get("exception", {}).get("description", "?"))
            elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
                found.append("an error: " + about["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not about["request"]["url"].startswith(("file:", "data:", "about:", "blob:")):
                found.append("a request to " + about["request"]["url"])
        return found

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()


def violations(browser, axe):
    browser.evaluate(axe)
    found = json.loads(browser.evaluate(
        "axe.run(document, {runOnly: {type: 'tag', values: " + json.dumps(TAGS) + "}, resultTypes: ['violations']})"
        ".then((result) => JSON.stringify(result.violations.map((v) => [v.id, v.help, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary || ''])))"))
    return [f"{name}: {text} ({count} times, such as {html} {summary})" for name, text, count, html, summary in found]


def address_of(page):
    file, _, hash_ = page.partition("#")
    return pathlib.Path(file).resolve().as_uri() + (f"#{hash_}" if hash_ else "")


def check(browser, page, given):
    """Opens a page in all windows; returns what is wrong."""
    file, _, hash_ = page.partition("#")
    name = pathlib.Path(file).stem + ("-" + hash_.split("?")[0].split("/")[0] if hash_ else "")
    found = []
    for width, scheme in WINDOWS:
        browser.open(address_of(page), width, scheme)
        result = given.script is None or browser.evaluate(given.script)
        problems = [] if result is True else [f"{result} instead of true: {given.script[:100]}"]
        wide = browser.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            problems.append(f"{wide} pixels wide in a window of {width}")
        if given.axe and width != 320:
            problems += violations(browser, given.axe.read_text())
        problems += browser.problems()
        found += [f"{page} ({width} pixels, {scheme}): {problem}" for problem in problems]
        if given.pictures:
            browser.picture(given.pictures / f"{name}-{width}-{scheme}.png", width)
    if given.pictures:
        browser.open(address_of(page), 1280, "light")
        browser.pdf(given.pictures / f"{name}.pdf")
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("pages", nargs="+")
    arguments.add_argument("--axe", type=pathlib.Path)
    arguments.add_argument("--pictures", type=pathlib.Path)
    arguments.add_argument("--script")
    arguments.add_argument("--print")
    arguments.add_argument("--picture", type=pathlib.Path)
    arguments.add_argument("--size", default="1280x900")
    given = arguments.parse_args()
    width, height = (int(number) for number in given.size.split("x"))
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        if given.print or given.picture:
            browser.open(address_of(given.pages[0]), width, "light", height)
            if given.print:
                print(browser.evaluate(given.print))
            if given.picture:
                browser.picture(given.picture, width, height)
            browser.close()
            return 0
        found = [problem for page in given.pages for problem in check(browser, page, given)]
        browser.close()
    print("\n".join([*found, f"{len(given.pages)} pages, {len(WINDOWS)} windows: {len(found) or 'no'} problems"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
