"""Opens every page of a running studio in a real Chromium.

    studio.py ADDRESS ROUTES.json [AXE.js] [PICTURES]

Checks, in light and dark, 360 and 1280 px wide: accessibility (axe-core, WCAG 2.2 A and AA), no scrolling sideways at 320 px, no errors, no
violations of the content security policy, no requests to other hosts. Then goes through the pages with the keyboard alone, and without scripts.
With PICTURES, writes a picture of each page into that folder.
"""

import base64
import json
import pathlib
import sys
import tempfile

from chromium import Chromium, Failed

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def check(holds, message):
    if not holds:
        raise Failed(message)


def problems(browser, host):
    """What the browser complained about, and what it loaded from elsewhere."""
    found = []
    for event in browser.events:
        method, about = event.get("method"), event.get("params", {})
        if method == "Log.entryAdded" and about["entry"]["level"] == "error":
            # A page about an error has the status of an error.
            if "the server responded with a status of 4" not in about["entry"]["text"]:
                found.append(about["entry"]["text"])
        if method == "Runtime.exceptionThrown":
            found.append(about["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        if method == "Network.requestWillBeSent":
            address = about["request"]["url"]
            if not address.startswith((host, "data:", "about:", "blob:")):
                found.append(f"a request to {address}")
    return found


def look_at(browser, host, path, axe, pictures, name):
    for dark in [False, True]:
        for width in [360, 1280]:
            where = f"{path} at {width} px, {'dark' if dark else 'light'}"
            browser.look(width, dark)
            browser.open(host + path)
            browser.pause(0.1)
            complaints = problems(browser, host)
            check(not complaints, f"{where}: {complaints}")
            if axe:
                browser.evaluate(axe)
                run = f"axe.run({{runOnly: {json.dumps(TAGS)}}}).then(found => JSON.stringify(found.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html, v.nodes[0].failureSummary])))"
                violations = json.loads(browser.evaluate(run, wait=True))
                check(not violations, f"{where}: " + "\n".join(map(str, violations)))
            if pictures:
                file = pictures / f"{name}-{width}-{'dark' if dark else 'light'}.png"
                file.write_bytes(base64.b64decode(browser.picture()))
    browser.look(320, False)
    browser.open(host + path)
    widths = browser.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    check(widths[0] <= widths[1], f"{path} scrolls sideways at 320 px: {widths}")


def with_the_keyboard(browser, host):
    browser.look(1280, False)
    browser.open(host + "/")
    browser.key("/")
    check(browser.evaluate("document.activeElement.id") == "search", "`/` goes to the search")
    browser.type("pari")
    browser.wait_for("document.querySelector('.search [role=option]')", "suggestions")
    browser.key("g")
    browser.key("k")
    check(browser.evaluate("document.activeElement.value") == "parigk", "keys are letters in a field")
    browser.evaluate("document.activeElement.value = ''")
    browser.type("paris")
    browser.wait_for("document.querySelector('.search [role=option] .suggestion-name')?.textContent.startsWith('Paris')", "Paris")
    browser.key("ArrowDown")
    check(browser.evaluate("document.activeElement.getAttribute('aria-activedescendant')"), "an option is active")
    browser.key("Enter")
    browser.wait_for("location.pathname === '/kb/show' && document.querySelector('h1')?.textContent === 'Paris'", "the page of Paris")
    browser.wait_for("document.querySelector('.copies button')", "the script of the page")
    browser.key("j")
    check(browser.evaluate("document.activeElement.matches('.facts a')"), "`j` goes to the first fact")
    browser.key("f")
    browser.type("mayor")
    browser.key("Escape")
    browser.key("?")
    browser.wait_for("document.querySelector('dialog[open]')", "the list of keys")
    browser.key("Escape")
    browser.wait_for("!document.querySelector('dialog')", "the list to close")
    browser.key("g")
    browser.key("q")
    browser.wait_for("location.pathname === '/query' && document.querySelector('#completions')", "the query page")
    browser.key("Tab")
    for _ in range(30):
        if browser.evaluate("document.activeElement.id") == "query":
            break
        browser.key("Tab")
    check(browser.evaluate("document.activeElement.id") == "query", "Tab reaches the query")
    browser.type("Find(Pari")
    browser.key(" ", control=True)
    browser.wait_for("!document.querySelector('#completions').hidden || document.querySelector('#query').value.includes('Paris')", "completions")
    while browser.evaluate("!document.querySelector('#completions').hidden && document.querySelector('#completions [aria-selected=true]')?.firstChild.textContent !== 'Paris'"):
        browser.key("ArrowDown")
    browser.key("Enter")
    browser.wait_for("document.querySelector('#query').value.startsWith('Find(Paris')", "the completion")
    browser.type(") > What()")
    browser.key("Enter", control=True)
    browser.wait_for("document.querySelector('#answers h2')?.textContent.includes('answer')", "the answers")
    check("q=Find" in browser.evaluate("location.search"), "the query is in the address")


def without_scripts(browser, host):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(host + "/query?q=Find(Paris)+%3E+What()")
    check(browser.evaluate("document.querySelector('#answers h2').textContent").endswith("answers"), "answers without scripts")
    check(browser.evaluate("getComputedStyle(document.querySelector('[data-action=help]')).display") == "none", "what needs scripts is hidden")
    browser.events.clear()
    browser.evaluate("document.querySelector('#query').value = 'Find(Lyon) > What()'; document.querySelector('#query-form button').click()")
    browser.wait_for("location.search.includes('Lyon') && document.querySelector('#answers h2')", "the form without scripts")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


def main():
    host, routes = sys.argv[1].rstrip("/"), json.loads(pathlib.Path(sys.argv[2]).read_text())
    axe = pathlib.Path(sys.argv[3]).read_text() if len(sys.argv) > 3 and sys.argv[3] else None
    pictures = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Chromium(profile)
        try:
            for name, path in routes.items():
                look_at(browser, host, path, axe, pictures, name)
            with_the_keyboard(browser, host)
            without_scripts(browser, host)
        finally:
            browser.close()
    print(f"{len(routes)} pages are fine" + ("" if axe else "; axe-core was not there"))


if __name__ == "__main__":
    try:
        main()
    except Failed as problem:
        sys.exit(f"studio.py: {problem}")
