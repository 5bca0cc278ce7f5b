"""Fixtures for tests of the page: a gateway, and the browsers of the people who visit it."""

import browser
import pytest
from steps import picture


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "gateway(*arguments, is_new=False): the arguments of the gateway; a new one has no profiles"
    )


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

    yield visit
    if request.node.has_failed:
        show(visitors, request.node.name)
    else:
        for visitor in visitors:
            visitor.close()


def show(visitors, name):
    """Prints and stores the pages of a failed test."""
    for number, visitor in enumerate(visitors):
        for page in visitor.context.pages:
            print(page.url, page.locator("body").inner_text(), *visitor.faults, sep="\n")
        if visitor.context.pages and not visitor.page.is_closed():
            picture(visitor, f"failed-{name}-{number}")
        visitor.context.close()
