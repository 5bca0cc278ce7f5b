"""Generates clients of the contract that a gateway serves, without a warning or anything left out, and runs a program with each."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

FOLDER = pathlib.Path(__file__).parent
sys.path[:0] = [str(FOLDER.parent)]
import support

TOOLS = support.ROOT / ".build/client-generators/bin"
# A generator runs only for seconds, so the better code of Java's second compiler would come too late.
JAVA = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
# Warnings that openapi-generator prints for every contract of OpenAPI 3.1, even for an empty one.
ALWAYS_SAID = ("OpenAPI 3.1 support is still in beta", "Failed to get the schema name: null")
# Warnings about values and objects of any form, which have no class; about forms, which become parameters; and about
# bytes of pictures, which have the class of files.
NO_CLASS = (
    "Default to typing.Any",
    "since it's a free-form object",
    "marked as unused (due to form parameters)",
    "WARN  o.o.c.l.AbstractTypeScriptClientCodegen - File (",
)


def run(*command, cwd=None, env=None):
    """Runs a program, which must end with 0, and returns its output."""
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", **JAVA, **(env or {})}
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    said = result.stdout + result.stderr
    assert result.returncode == 0, f"{' '.join(map(str, command))}:\n{said[-4000:]}"
    return said


def without_warnings(said, name):
    bad = [
        line for line in said.splitlines() if re.search(r"\] (WARN|ERROR)|^WARNING|Warning:|error:|not generated", line)
    ]
    bad = [line for line in bad if not any(words in line for words in ALWAYS_SAID + NO_CLASS)]
    assert not bad, f"{name}:\n" + "\n".join(bad[:20])


def without_plain_text(contract, folder):
    """A copy of the contract without bodies of plain text, for a generator that leaves them out with a warning."""
    document = json.loads(contract.read_text())
    for operation in (operation for path in document["paths"].values() for operation in path.values()):
        operation.get("requestBody", {}).get("content", {}).pop("text/plain", None)
    copy = folder / "contract.json"
    copy.write_text(json.dumps(document))
    return copy


def openapi_python_client(contract, folder):
    said = run(
        TOOLS / "openapi-python-client",
        "generate",
        "--path",
        without_plain_text(contract, folder),
        "--meta",
        "none",
        "--output-path",
        folder / "simplex_gateway_client",
    )
    without_warnings(said, "openapi-python-client")
    return [TOOLS / "python", FOLDER / "with_openapi_python_client.py"]


def openapi_generator_python(contract, folder):
    said = run(
        TOOLS / "openapi-generator-cli",
        "generate",
        "-g",
        "python",
        "-i",
        contract,
        "-o",
        folder,
        "--additional-properties=packageName=simplex_gateway",
        "--global-property=modelTests=false,apiTests=false,modelDocs=false,apiDocs=false",
    )
    without_warnings(said, "openapi-generator, Python")
    return [TOOLS / "python", FOLDER / "with_openapi_generator.py"]


def openapi_generator_typescript(contract, folder):
    said = run(
        TOOLS / "openapi-generator-cli",
        "generate",
        "-g",
        "typescript-fetch",
        "-i",
        contract,
        "-o",
        folder / "client",
        "--global-property=skipFormModel=false,modelDocs=false,apiDocs=false",
    )
    without_warnings(said, "openapi-generator, TypeScript")
    program = folder / "with_openapi_generator.ts"
    program.write_text((FOLDER / program.name).read_text())
    # Debian's compiler is too old: it does not derive a type from the operator `in`.
    run(
        "tsc",
        "--target",
        "es2020",
        "--module",
        "commonjs",
        "--lib",
        "es2020,dom",
        "--strict",
        "--noImplicitAny",
        "false",
        "--outDir",
        folder / "out",
        program,
    )
    return ["node", folder / "out/with_openapi_generator.js"]


def datamodel_code_generator(contract, folder):
    said = run(
        TOOLS / "datamodel-codegen",
        "--input",
        contract,
        "--input-file-type",
        "openapi",
        "--output-model-type",
        "pydantic_v2.BaseModel",
        "--formatters",
        "builtin",
        "--output",
        folder / "simplex_gateway_models.py",
    )
    without_warnings(said, "datamodel-code-generator")
    return [TOOLS / "python", FOLDER / "with_datamodel_code_generator.py"]


GENERATORS = [openapi_python_client, openapi_generator_python, openapi_generator_typescript, datamodel_code_generator]


def main():
    run("sh", support.ROOT / "deploy/client-generators")
    with support.Gateway() as gateway, tempfile.TemporaryDirectory() as place:
        contract = pathlib.Path(place) / "openapi.json"
        with urllib.request.urlopen(gateway.url + "/openapi.json", timeout=support.SECONDS) as answer:
            contract.write_bytes(answer.read())

        def prepared(generator):
            folder = pathlib.Path(place) / generator.__name__
            folder.mkdir()
            return folder, generator(contract, folder)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            programs = list(pool.map(prepared, GENERATORS))
        for folder, command in programs:
            text = f"hello from {folder.name}"
            said = run(
                *command, gateway.url, gateway.key, 1, gateway.bob, text, cwd=folder, env={"PYTHONPATH": str(folder)}
            ).split("\n")
            assert said[0].startswith("sent ") and said[1:] == [f"read {text}", "delivered", ""], said
            chat = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}?limit=1")["chat"]
            assert chat["chatItems"][0]["meta"]["itemText"] == text, chat


main()
