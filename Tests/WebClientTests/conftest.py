"""Fixtures for tests of the page: a gateway, and the browsers of the people who visit it."""

import browser
import pytest
from steps import picture


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "gateway(*arguments, is_new=False): the arguments of the gateway; a new one has no profiles"
    )


# Files with the longest tests, in the order in which they begin.
LONG = ["test_conversation", "test_speed", "test_memory", "test_accessibility", "test_looks"]


def pytest_collection_modifyitems(items):
    """Begins with the longest tests, so that all processes end at nearly the same time."""
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.has_failed = getattr(item, "has_failed", False) or report.failed
    return report


@pytest.fixture(scope="session")
def chromium():
    with browser.chromium() as chromium:
        yield chromium


@pytest.fixture
def gateway(request):
    """Starts a gateway with two profiles that are contacts, unless the mark `gateway` requests another gateway."""
    mark = request.node.get_closest_marker("gateway")
    arguments = mark.args if mark else ()
    if mark and mark.kwargs.get("is_new"):
        gateway = browser.NewGateway(*arguments)
    else:
        gateway = browser.support.Gateway(*(arguments or ("--no-file-relay",)))
    with gateway:
        yield gateway
        if request.node.has_failed:
            print(gateway.log()[-2000:])


@pytest.fixture
def visit(request, chromium, gateway):
    """Returns a function that makes the browser of one person. A fault in the page of any person fails the test."""
    visitors = []

    def visit(to=gateway, files=browser.FILES, **options):
        visitors.append(browser.Visitor(chromium, to, files, **options))
        return visitors[-1]

    gateway.until = lambda *given, **more: until(visitors, *given, **more)
    yield visit
    if request.node.has_failed:
        show(visitors, request.node.name)
    else:
        for visitor in visitors:
            visitor.close()


def until(visitors, condition, what, seconds=browser.support.SECONDS):
    """Waits for a condition. Calls Playwright meanwhile, because the routes and listeners of the test run only during
    its calls.
    """

    def met():
        if value := condition():
            return value
        pages = [page for visitor in visitors for page in visitor.context.pages]
        return pages and pages[0].wait_for_timeout(50)

    return browser.support.Gateway.until(met, what, seconds)


def show(visitors, name):
    """Prints and stores the pages of a failed test."""
    for number, visitor in enumerate(visitors):
        for page in visitor.context.pages:
            print(page.url, page.locator("body").inner_text(), *visitor.faults, sep="\n")
        if visitor.context.pages and not visitor.page.is_closed():
            picture(visitor, f"failed-{name}-{number}")
        visitor.context.close()
