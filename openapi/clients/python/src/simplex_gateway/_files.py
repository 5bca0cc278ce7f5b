"""Uploads and downloads that continue after an interruption, and previews of pictures."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import os
from collections.abc import AsyncIterator, Callable
from typing import IO, Any, cast

import httpx

from . import _contract
from . import _generated as g
from ._http import Connection, Patience, effects_name, new_key
from .errors import Conflict, GatewayError, NotFound

Source = str | os.PathLike[str] | bytes | IO[bytes] | AsyncIterator[bytes]
Progress = Callable[[int, int | None], None]
# The size of a part in bytes. A file of at most this size is uploaded with one request.
PART = 4 << 20
# In a handler, a file of at most this size is uploaded with one request, since a repeated request gets the same answer.
ONE_REQUEST = 64 << 20
# The maximal number of characters of a preview. The preview is a part of the message, which has at most about 16,000
# bytes.
PREVIEW = 13_000
# A picture of one grey pixel, which programs without Pillow use as the preview.
NO_PREVIEW = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)


class Reader:
    """Reads a source in parts of a given size."""

    def __init__(self, source: Source) -> None:
        self.size: int | None = None
        self.stream: IO[bytes] | None = None
        self.parts: AsyncIterator[bytes] | None = None
        self.owned = not hasattr(source, "read")
        if isinstance(source, bytes | bytearray | memoryview):
            self.stream = io.BytesIO(source)
        elif isinstance(source, str | os.PathLike):
            self.stream = open(source, "rb")
        elif hasattr(source, "read"):
            self.stream = cast(IO[bytes], source)
        else:
            self.parts = source
        if self.stream is not None and self.stream.seekable():
            self.begin = self.stream.tell()
            self.size = self.stream.seek(0, os.SEEK_END) - self.begin
            self.stream.seek(self.begin)
        self.rest = b""

    async def read(self, size: int) -> bytes:
        """Return this number of bytes, or fewer at the end; with -1 all bytes."""
        if self.stream is not None:
            return await asyncio.to_thread(self.stream.read, size)
        pieces, length = [self.rest], len(self.rest)
        while (size < 0 or length < size) and self.parts is not None:
            piece = await anext(self.parts, None)
            if piece is None:
                break
            pieces.append(piece)
            length += len(piece)
        data = b"".join(pieces)
        end = len(data) if size < 0 else size
        self.rest = data[end:]
        return data[:end]

    def rewind(self) -> bool:
        """Go back to the first byte, if the source supports this. Returns whether the source does."""
        if self.stream is None or not self.stream.seekable():
            return False
        self.stream.seek(self.begin)
        return True

    def close(self) -> None:
        if self.owned and self.stream is not None:
            self.stream.close()


async def upload(
    connection: Connection, user: int, source: Source, name: str | None, progress: Progress | None
) -> g.CryptoFile:
    """Upload bytes: with one request if they are few, otherwise in parts."""
    name = name or name_of(source, "file")
    reader = Reader(source)
    try:
        limit = ONE_REQUEST if effects_name() else PART
        path = _contract.path_of("uploadFile", userId=user)
        first = await reader.read(limit)
        if len(first) < limit:
            headers = {"Content-Type": "application/octet-stream", "Repr-Digest": _digest(hashlib.sha256(first))}
            response = await connection.request("POST", path, query={"name": name}, content=first, headers=headers)
            if progress:
                progress(len(first), len(first))
            return cast(g.CryptoFile, connection.json_of(response)["fileSource"])
        key = new_key()
        for attempt in range(3):
            try:
                return await _upload_parts(connection, path, name, reader, first, f"{key}-{attempt}", progress)
            except NotFound:
                # The gateway lost the upload, or its last answer was lost. So the upload begins again.
                if attempt == 2 or not reader.rewind():
                    raise
                first = await reader.read(limit)
        raise AssertionError
    finally:
        reader.close()


def name_of(source: Source, default: str) -> str:
    return os.path.basename(source) if isinstance(source, str | os.PathLike) else default


def _digest(hashed: Any) -> str:
    return f"sha-256=:{base64.b64encode(hashed.digest()).decode()}:"


async def _upload_parts(
    connection: Connection, path: str, name: str, reader: Reader, part: bytes, key: str, progress: Progress | None
) -> g.CryptoFile:
    headers = {"Content-Type": "application/octet-stream", "Upload-Complete": "?0", "Idempotency-Key": key}
    if reader.size is not None:
        headers["Upload-Length"] = str(reader.size)
    response = await connection.request("POST", path, query={"name": name}, content=b"", headers=headers)
    place = response.headers["location"]
    hashed = hashlib.sha256()
    start = 0
    while True:
        following = await reader.read(PART)
        hashed.update(part)
        digest = None if following else _digest(hashed)
        answer = await _upload_part(connection, place, start, part, digest)
        start += len(part)
        if progress:
            progress(start, reader.size)
        if not following:
            return cast(g.CryptoFile, connection.json_of(answer)["fileSource"])
        part = following


async def _upload_part(
    connection: Connection, place: str, start: int, part: bytes, digest: str | None
) -> httpx.Response:
    """Send one part. After an interruption, the gateway reports how many bytes of the part it has."""
    patience = Patience(connection.retry_for)
    offset = start
    while True:
        headers = {"Content-Type": "application/octet-stream", "Upload-Offset": str(offset)}
        headers |= {"Upload-Complete": "?1", "Repr-Digest": digest} if digest else {"Upload-Complete": "?0"}
        try:
            return await connection.once("PATCH", place, content=part[offset - start :], headers=headers)
        except GatewayError as error:
            delay = 0.1 if isinstance(error, Conflict) else patience.delay(error)
            if delay is None or patience.attempt > 50:
                raise
            patience.attempt += isinstance(error, Conflict)
            await asyncio.sleep(delay)
        state = await connection.request("GET", place)
        offset = int(connection.json_of(state)["offset"])
        if not start <= offset <= start + len(part):
            raise NotFound(f"The upload is at another place: {offset}.", code="notFound")
        if offset == start + len(part) and digest is None:
            return state


async def download(
    connection: Connection, user: int, number: int, size: int, progress: Progress | None
) -> AsyncIterator[bytes]:
    """Yield the bytes of a received file. After an interruption, the remaining bytes are fetched, if the file has not
    changed."""
    path = _contract.path_of("downloadFile", userId=user, fileId=number)
    patience = Patience(connection.retry_for)
    offset, tag = 0, ""
    while True:
        headers = {"Accept-Encoding": "identity"}
        if offset:
            headers.update({"Range": f"bytes={offset}-", "If-Range": tag})
        try:
            async with connection.stream("GET", path, headers=headers) as response:
                if offset and response.status_code != 206:
                    raise Conflict("The file changed during the download.", code="conflict")
                tag = response.headers.get("etag", "")
                async for chunk in response.aiter_bytes():
                    offset += len(chunk)
                    patience = Patience(connection.retry_for)
                    yield chunk
                    if progress:
                        progress(offset, size)
            return
        except GatewayError as error:
            delay = patience.delay(error)
            if delay is None:
                raise
            await asyncio.sleep(delay)


async def image_preview(source: Source) -> tuple[str, Source]:
    """Return a preview as a data URL, and a source with the same bytes as before. Pillow makes the preview, if it is
    installed."""
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError:
        return NO_PREVIEW, source
    if not isinstance(source, bytes | str | os.PathLike):
        source = await Reader(source).read(-1)

    def made(data: bytes | str | os.PathLike[str]) -> str:
        try:
            with Image.open(io.BytesIO(data) if isinstance(data, bytes) else data) as image:
                picture = ImageOps.exif_transpose(image).convert("RGB")
        except UnidentifiedImageError:
            return NO_PREVIEW
        for side, quality in ((512, 70), (384, 60), (256, 50), (192, 40), (128, 30), (64, 20)):
            picture.thumbnail((side, side))
            out = io.BytesIO()
            picture.save(out, "JPEG", quality=quality, optimize=True)
            text = "data:image/jpg;base64," + base64.b64encode(out.getvalue()).decode()
            if len(text) <= PREVIEW:
                return text
        return NO_PREVIEW

    return await asyncio.to_thread(made, source), source
