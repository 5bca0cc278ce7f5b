#ifndef SXGW_CZLIB_SHIM_H
#define SXGW_CZLIB_SHIM_H
#include <string.h>
#include <zlib.h>

/* Maximal size of gzip's header and trailer, with a file name of up to 255 bytes. */
#define SXGW_GZIP_OVERHEAD 320

/* Returns the maximal number of bytes that sxgw_gzip writes. */
static inline size_t
sxgw_gzip_bound (size_t size)
{
  return compressBound ((uLong) size) + SXGW_GZIP_OVERHEAD;
}

/* Compresses bytes to one member of gzip (RFC 1952), whose header contains a file name. Returns the number of written
   bytes; 0 after a failure. A C function is needed, since Swift does not import zlib's macros that initialize a stream. */
static inline size_t
sxgw_gzip (const void *input, size_t size, void *output, size_t capacity, const char *name, int level)
{
  z_stream stream;
  gz_header header;
  size_t written = 0;

  if (size > 0x40000000 || capacity > 0x60000000)
    return 0;
  memset (&stream, 0, sizeof (stream));
  memset (&header, 0, sizeof (header));
  /* 15 is the number of window bits. Adding 16 selects the format of gzip. */
  if (deflateInit2 (&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  header.os = 255;
  header.name = (Bytef *) name;
  if (deflateSetHeader (&stream, &header) == Z_OK)
    {
      stream.next_in = (Bytef *) input;
      stream.avail_in = (uInt) size;
      stream.next_out = (Bytef *) output;
      stream.avail_out = (uInt) capacity;
      if (deflate (&stream, Z_FINISH) == Z_STREAM_END)
        written = capacity - stream.avail_out;
    }
  (void) deflateEnd (&stream);
  return written;
}

/* Decompresses one member of gzip. Returns the size of its contents; 0 after a failure, or when `capacity` is too
   small. */
static inline size_t
sxgw_gunzip (const void *input, size_t size, void *output, size_t capacity)
{
  z_stream stream;
  size_t written = 0;

  if (size > 0x40000000 || capacity > 0x60000000)
    return 0;
  memset (&stream, 0, sizeof (stream));
  if (inflateInit2 (&stream, 15 + 16) != Z_OK)
    return 0;
  stream.next_in = (Bytef *) input;
  stream.avail_in = (uInt) size;
  stream.next_out = (Bytef *) output;
  stream.avail_out = (uInt) capacity;
  if (inflate (&stream, Z_FINISH) == Z_STREAM_END)
    written = capacity - stream.avail_out;
  (void) inflateEnd (&stream);
  return written;
}
#endif
