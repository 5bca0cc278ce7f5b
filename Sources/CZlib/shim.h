#ifndef SXGW_CZLIB_SHIM_H
#define SXGW_CZLIB_SHIM_H
#include <string.h>
#include <zlib.h>

/* A header and a trailer of gzip, and a file name of up to 255 bytes. */
#define SXGW_GZIP_OVERHEAD 320

/* The most bytes that sxgw_gzip writes. */
static inline size_t
sxgw_gzip_bound (size_t size)
{
  return compressBound ((uLong) size) + SXGW_GZIP_OVERHEAD;
}

/* The macros of zlib that initialize a stream are not seen from Swift.
   Compresses as one member of gzip (RFC 1952) whose header has a file name. Returns the bytes written; 0 when it has failed. */
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
  /* 15 bits of window, and 16 for gzip. */
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

/* The contents of one member of gzip. Returns their size; 0 when it has failed or there is no room for them. */
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
