/* Just enough JSON writing for the loader. Output goes to one big buffer. */
#ifndef AGENTSIGHT_JSON_H
#define AGENTSIGHT_JSON_H
#include <stdio.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence at s, or 0: overlong forms and surrogates are not well formed. */
static inline int utf8_at(const unsigned char *s, size_t left)
{
	unsigned c = s[0];
	int n = c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;

	if (!n || left < (size_t)n)
		return 0;
	for (int i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f) || (c == 0xf0 && s[1] < 0x90) || (c == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* The inside of a JSON string. A byte that is not UTF-8 becomes the lone surrogate U+DC00 + byte: nothing is lost, and the text stays JSON. */
static inline void json_bytes(FILE *out, const unsigned char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned char c = s[i];
		int k;

		if (c == '"' || c == '\\') {
			putc_unlocked('\\', out);
			putc_unlocked(c, out);
			i++;
		} else if (c < 0x20 || c == 0x7f) {
			fprintf(out, "\\u%04x", c);
			i++;
		} else if (c < 0x80) {
			putc_unlocked(c, out);
			i++;
		} else if ((k = utf8_at(s + i, n - i))) {
			fwrite_unlocked(s + i, 1, k, out);
			i += k;
		} else {
			fprintf(out, "\\udc%02x", c);
			i++;
		}
	}
}

static inline void json_string(FILE *out, const char *key, const unsigned char *s, size_t n)
{
	fprintf(out, ",\"%s\":\"", key);
	json_bytes(out, s, n);
	putc_unlocked('"', out);
}

/* Names lie leaf first, each ended by NUL: written root first, with slashes. */
static inline void json_path(FILE *out, const char *key, const unsigned char *s, size_t n)
{
	fprintf(out, ",\"%s\":\"", key);
	if (!n)
		putc_unlocked('/', out);
	while (n) {
		size_t end = n - 1, begin = end;

		while (begin && s[begin - 1])
			begin--;
		putc_unlocked('/', out);
		json_bytes(out, s + begin, end - begin);
		n = begin;
	}
	putc_unlocked('"', out);
}

static inline void json_argv(FILE *out, const unsigned char *s, size_t n)
{
	fputs(",\"argv\":[", out);
	for (size_t i = 0; i < n;) {
		size_t k = strnlen((const char *)s + i, n - i);

		fputs(i ? ",\"" : "\"", out);
		json_bytes(out, s + i, k);
		putc_unlocked('"', out);
		i += k + 1;
	}
	putc_unlocked(']', out);
}

static inline void json_hex(FILE *out, const char *key, const unsigned char *s, size_t n)
{
	fprintf(out, ",\"%s\":\"", key);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%02x", s[i]);
	putc_unlocked('"', out);
}

#endif
